//! Advice for programs in Python. Stacks of calls show which module was used, not who holds what it made.

use super::Advice;
use crate::summarise::owner_kind::OwnerKind;

pub(super) fn advice(kind: OwnerKind) -> Option<&'static Advice> {
    Some(match kind {
        OwnerKind::Cache => &CACHE,
        OwnerKind::Dictionary => &DICTIONARY,
        OwnerKind::List => &LIST,
        OwnerKind::Queue => &QUEUE,
        OwnerKind::Timer => &TIMER,
        OwnerKind::PromiseChain => &PROMISE_CHAIN,
        OwnerKind::SuspendedFunction => &SUSPENDED_FUNCTION,
        OwnerKind::Request => &REQUEST,
        OwnerKind::Pool => &POOL,
        OwnerKind::OpenHandle => &OPEN_HANDLE,
        OwnerKind::ChatHistory => &CHAT_HISTORY,
        OwnerKind::McpState => &MCP_STATE,
        OwnerKind::WeakMap => &WEAK_MAP,
        _ => return None,
    })
}

static CACHE: Advice = Advice {
    means: "A cache of the library or a package is filled on the way, and nothing may take entries out.",
    advice: "Give it an upper bound or let entries expire. A bound method with lru_cache keeps every instance it was called on.",
    before: "@functools.cache\ndef price(order):\n    return total(order)",
    after: "@functools.lru_cache(maxsize=1024)\ndef price(order_id):\n    return total(order_id)",
};

static DICTIONARY: Advice = Advice {
    means: "A collection of the library is filled as the program works, and nothing takes entries out.",
    advice: "Delete entries when what they belong to ends, or bound the collection.",
    before: "seen = collections.defaultdict(list)\nseen[user].append(event)",
    after: "seen = collections.defaultdict(lambda: collections.deque(maxlen=100))\nseen[user].append(event)",
};

static LIST: Advice = Advice {
    means: "A module that keeps records of calls or messages is on the way.",
    advice: "Bound what is kept, flush it, or take the handler or mock away when it is not needed any more.",
    before: "handler = MemoryHandler(10**9)\nlog.addHandler(handler)",
    after: "handler = MemoryHandler(1000, target=out)\nlog.addHandler(handler)",
};

static QUEUE: Advice = Advice {
    means: "Work is put into a queue or handed to an executor faster than it is taken out.",
    advice: "Give the queue an upper bound, so that producers wait, and limit how many tasks are submitted at once.",
    before: "jobs = queue.Queue()\njobs.put(job)",
    after: "jobs = queue.Queue(maxsize=1000)\njobs.put(job, timeout=5)",
};

static TIMER: Advice = Advice {
    means: "Calls that were scheduled for later keep their arguments until they run or are cancelled.",
    advice: "Cancel the handle when it is not needed any more, and pass ids in place of large objects.",
    before: "handle = loop.call_later(3600, expire, session)\nawait session.run()",
    after: "handle = loop.call_later(3600, expire, session.id)\ntry:\n    await session.run()\nfinally:\n    handle.cancel()",
};

static PROMISE_CHAIN: Advice = Advice {
    means: "Futures that are never settled keep their callbacks and what those refer to.",
    advice: "Settle or cancel every future, with a time-out where the other side may not answer.",
    before: "waiting[key] = loop.create_future()\nreturn await waiting[key]",
    after: "waiting[key] = loop.create_future()\ntry:\n    return await asyncio.wait_for(waiting[key], 30)\nfinally:\n    del waiting[key]",
};

static SUSPENDED_FUNCTION: Advice = Advice {
    means: "Tasks that never end keep the variables of the functions that wait in them.",
    advice: "Put a time-out around what is awaited, keep tasks in a TaskGroup, and cancel those of clients that are gone.",
    before: "async def serve(client):\n    await client.closed()",
    after: "async def serve(client):\n    async with asyncio.timeout(600):\n        await client.closed()",
};

static REQUEST: Advice = Advice {
    means: "Requests are allocated on the way, and something may keep them after their answer was sent.",
    advice: "Copy the fields that are needed later, and do not store requests, tracebacks or exceptions that refer to them.",
    before: "recent.append(request)\nreturn answer(request)",
    after: "recent.append((request.path, len(request.body)))\nreturn answer(request)",
};

static POOL: Advice = Advice {
    means: "Connections of a pool are made on the way and may not be given back.",
    advice: "Use the connection in a with block, and give the pool an upper bound.",
    before: "connection = engine.connect()\nrows = connection.execute(query)",
    after: "with engine.connect() as connection:\n    rows = connection.execute(query)",
};

static OPEN_HANDLE: Advice = Advice {
    means: "Files, sockets or processes are opened on the way and may not be closed.",
    advice: "Open them in a with block, and start Python with -X dev to be told of those that are not closed.",
    before: "source = socket.create_connection(address)\nreturn source.recv(1024)",
    after: "with socket.create_connection(address) as source:\n    return source.recv(1024)",
};

static CHAT_HISTORY: Advice = Advice {
    means: "The history of a conversation grows with every message.",
    advice: "Keep the last messages and a summary of the others, and drop histories of sessions that ended.",
    before: "history.append(message)\nanswer = model(history)",
    after: "history.append(message)\ndel history[:-50]\nanswer = model(history)",
};

static MCP_STATE: Advice = Advice {
    means: "Sessions of an MCP server are kept after their clients have gone.",
    advice: "Remove the state of a session when its connection closes, and let idle sessions expire.",
    before: "sessions[session.id] = state\nawait session.run()",
    after: "sessions[session.id] = state\ntry:\n    await session.run()\nfinally:\n    del sessions[session.id]",
};

static WEAK_MAP: Advice = Advice {
    means: "Weak references are made on the way, and each keeps its callback while what it refers to lives.",
    advice: "That is fine unless values of the mapping refer to their keys; look for such a cycle.",
    before: "cache = weakref.WeakKeyDictionary()\ncache[node] = Info(node)",
    after: "cache = weakref.WeakKeyDictionary()\ncache[node] = Info(node.id)",
};
