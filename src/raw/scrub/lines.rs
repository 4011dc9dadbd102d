//! Lines of logs, judged word by word: what a program writes into a log stays where somebody vouches for it, and everything
//! else goes. Structure, times, levels, measures with their units and the words of programs make a log useful; names, numbers
//! and whatever else stands there are data.

use super::labels::Piece;
use super::log_times;
use super::paths::{self, Roots};
use super::tags::{self, Bound, Kind};
use super::vocabulary;
use super::vouch::Voucher;
use crate::limits;
use crate::raw::detect::opaque;

/// What separates words beside blanks; it stays.
const MARKS: &[u8] = b"=:,;()[]{}<>\"'`|";

/// Units of measures, in small letters.
const UNITS: [&[u8]; 50] = [
    b"b",
    b"kb",
    b"mb",
    b"gb",
    b"tb",
    b"kib",
    b"mib",
    b"gib",
    b"tib",
    b"k",
    b"m",
    b"g",
    b"byte",
    b"bytes",
    b"ms",
    b"msec",
    b"milliseconds",
    b"millis",
    b"us",
    b"usec",
    b"microseconds",
    b"ns",
    b"nanoseconds",
    b"s",
    b"sec",
    b"secs",
    b"second",
    b"seconds",
    b"min",
    b"mins",
    b"minute",
    b"minutes",
    b"h",
    b"hours",
    b"hour",
    b"d",
    b"days",
    b"%",
    b"percent",
    b"x",
    b"rps",
    b"qps",
    b"fps",
    b"hz",
    b"khz",
    b"mhz",
    b"ghz",
    b"times",
    b"retries",
    b"attempts",
];

/// Words before numbers that are no more than measures.
const MEASURES: [&[u8]; 61] = [
    b"pid",
    b"ppid",
    b"tid",
    b"worker",
    b"thread",
    b"line",
    b"column",
    b"code",
    b"status",
    b"statuscode",
    b"exitcode",
    b"duration",
    b"durationms",
    b"elapsed",
    b"elapsedms",
    b"latency",
    b"latencyms",
    b"took",
    b"uptime",
    b"responsetime",
    b"responsetimems",
    b"rss",
    b"heap",
    b"heapused",
    b"heaptotal",
    b"heaplimit",
    b"heapsize",
    b"heapsizelimit",
    b"external",
    b"arraybuffers",
    b"memory",
    b"memoryusage",
    b"mem",
    b"bytes",
    b"size",
    b"sizebytes",
    b"length",
    b"contentlength",
    b"count",
    b"attempt",
    b"attempts",
    b"retry",
    b"retries",
    b"port",
    b"errno",
    b"exit",
    b"cpu",
    b"load",
    b"percent",
    b"ratio",
    b"level",
    b"lvl",
    b"severity",
    b"priority",
    b"depth",
    b"queuesize",
    b"queuelength",
    b"pending",
    b"active",
    b"idle",
    b"timeout",
];

/// Words before times.
const MOMENTS: [&[u8]; 14] = [
    b"time",
    b"timestamp",
    b"ts",
    b"datetime",
    b"date",
    b"t",
    b"eventtime",
    b"logtime",
    b"asctime",
    b"starttime",
    b"endtime",
    b"timelocal",
    b"timeiso8601",
    b"when",
];

/// Words before what a program says.
const SAYINGS: [&[u8]; 34] = [
    b"level",
    b"lvl",
    b"severity",
    b"loglevel",
    b"levelname",
    b"priority",
    b"msg",
    b"message",
    b"event",
    b"error",
    b"err",
    b"exception",
    b"reason",
    b"stack",
    b"stacktrace",
    b"trace",
    b"logger",
    b"loggername",
    b"component",
    b"module",
    b"category",
    b"type",
    b"kind",
    b"code",
    b"status",
    b"state",
    b"method",
    b"phase",
    b"action",
    b"operation",
    b"op",
    b"syscall",
    b"stream",
    b"log",
];

/// What a key of a structured log says about the value under it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::raw) enum Says {
    /// That a program wrote its words.
    Words,
    /// That it is a measure or a moment.
    Measure,
    /// Both: a text has words, a number is a measure.
    Either,
    /// Nothing of use.
    Nothing,
}

/// What a key says.
pub(in crate::raw) fn says(key: &[u8]) -> Says {
    if key.len() > limits::NAME_BYTES || !key.iter().all(|b| b.is_ascii_alphanumeric() || b"_-.@".contains(b)) {
        return Says::Nothing;
    }
    let key = letters(key);
    let key = key.as_slice();
    let is_measure = MEASURES.contains(&key) || MOMENTS.contains(&key);
    match (SAYINGS.contains(&key), is_measure) {
        (true, true) => Says::Either,
        (true, false) => Says::Words,
        (false, true) => Says::Measure,
        (false, false) => Says::Nothing,
    }
}

/// The letters and digits of a key, small ones.
fn letters(key: &[u8]) -> Vec<u8> {
    let few = &key[..key.len().min(limits::NAME_BYTES)];
    few.iter().filter(|b| b.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase).collect()
}

/// A word of a line with what was decided about it.
struct Core {
    start: usize,
    end: usize,
    is_vouched: bool,
    /// Does it count as a word, when it is told whether a program wrote the line?
    is_word: bool,
}

/// Is every word vouched for?
pub(super) fn is_vouched(voucher: &Voucher<'_>, text: &[u8]) -> bool {
    let mut out = Vec::new();
    unvouched(voucher, voucher.bound, text, &mut out);
    out.is_empty()
}

/// Is this a plain measure or a moment, and nothing else?
pub(super) fn is_measure(text: &[u8]) -> bool {
    let (number, unit) = text.split_at(number_len(text));
    let is_number = !number.is_empty() && (unit.is_empty() || is_unit(unit.strip_prefix(b" ").unwrap_or(unit)));
    is_number || log_times::moment(text) == Some(text.len()) || log_times::epoch(text) == Some(text.len())
}

/// Every run of words that nobody vouches for, in order.
pub(super) fn unvouched(voucher: &Voucher<'_>, bound: Bound, text: &[u8], out: &mut Vec<(usize, usize, Kind)>) {
    out.clear();
    if voucher.rules.keeps(Kind::Text, text) {
        return;
    }
    let mut line = Line {
        voucher,
        text,
        at: 0,
        holes: Vec::new(),
        cores: Vec::new(),
        parts: Vec::new(),
        before: Before::default(),
    };
    tags::holes(text, bound, &mut line.holes);
    line.holes.retain(|(start, end)| tags::parse(&text[*start..*end], bound).is_some_and(is_of_line));
    line.read();
    let (vouched, others) = line
        .cores
        .iter()
        .filter(|core| core.is_word)
        .fold((0_usize, 0_usize), |(v, o), core| if core.is_vouched { (v + 1, o) } else { (v, o + 1) });
    // A program's own words outnumber what it fills in. Other sentences are somebody's: nothing of them stays.
    let is_foreign = others > vouched && others >= 3;
    for core in &line.cores {
        if core.is_vouched && !(is_foreign && core.is_word) {
            continue;
        }
        let between = out.last().map(|(_, end, _)| &text[*end..core.start]);
        match out.last_mut() {
            // Words side by side are one text: how many there are is told to nobody.
            Some(last) if between.is_some_and(|b| b.iter().all(|b| matches!(b, b' ' | b'\t'))) => last.1 = core.end,
            _ => out.push((core.start, core.end, Kind::Text)),
        }
    }
    out.append(&mut line.parts);
    out.sort_unstable();
}

/// Placeholders that can stand in a line.
fn is_of_line(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Text
            | Kind::Number
            | Kind::Host
            | Kind::Directory
            | Kind::Path
            | Kind::File
            | Kind::Query
            | Kind::Secret
            | Kind::Listed
            | Kind::Rule(_)
    )
}

/// What stood before a word.
#[derive(Default)]
struct Before {
    /// The word, and where it ended.
    word: Option<(usize, usize)>,
    /// Was there nothing yet but times, levels and marks?
    is_told: bool,
    /// Numbers that may follow: those of a request, or the place in a file.
    numbers: u32,
}

struct Line<'a, 'r> {
    voucher: &'a Voucher<'r>,
    text: &'a [u8],
    at: usize,
    holes: Vec<(usize, usize)>,
    cores: Vec<Core>,
    /// Parts of paths that go.
    parts: Vec<(usize, usize, Kind)>,
    before: Before,
}

impl Line<'_, '_> {
    fn read(&mut self) {
        let mut holes = std::mem::take(&mut self.holes).into_iter().peekable();
        while let Some(&byte) = self.text.get(self.at) {
            if let Some((_, end)) = holes.next_if(|(start, _)| *start == self.at) {
                self.before.word = Some((self.at, end));
                self.at = end;
                continue;
            }
            if byte.is_ascii_whitespace() || MARKS.contains(&byte) {
                if byte == b'\n' {
                    self.before = Before::default();
                }
                self.at += 1;
                continue;
            }
            let limit = holes.peek().map_or(self.text.len(), |(start, _)| *start);
            if let Some(len) = self.time().filter(|len| self.at + len <= limit) {
                self.at += len;
                self.before.word = None;
                continue;
            }
            self.core(limit);
        }
    }

    /// A time at the beginning of a line, behind a key that says so, or as web servers write it.
    fn time(&self) -> Option<usize> {
        let rest = &self.text[self.at..];
        if !self.before.is_told || self.is_behind(self.at, &MOMENTS) {
            return log_times::moment(rest).or_else(|| log_times::clock(rest)).or_else(|| log_times::epoch(rest));
        }
        let is_in_brackets = self.at > 0 && self.text[self.at - 1] == b'[';
        log_times::web(rest).filter(|len| is_in_brackets && rest.get(*len) == Some(&b']'))
    }

    /// Is this the value of one of these: `key=`, `"key":"`, `key 12`?
    fn is_behind(&self, at: usize, keys: &[&[u8]]) -> bool {
        let Some((start, end)) = self.before.word else { return false };
        let between = &self.text[end..at];
        between.len() <= 4
            && between.iter().all(|b| b" =:\"'[(".contains(b))
            && keys.contains(&letters(&self.text[start..end]).as_slice())
    }

    fn core(&mut self, limit: usize) {
        let start = self.at;
        let is_end = |b: &u8| b.is_ascii_whitespace() || MARKS.contains(b);
        let find = |from: usize| self.text[from..limit].iter().position(is_end).map_or(limit, |n| from + n);
        let mut end = find(start);
        // Modules of Node.js have a mark in their names.
        if &self.text[start..end] == b"node" && self.text.get(end) == Some(&b':') && end + 1 < limit {
            end = find(end + 1);
        }
        self.at = end;
        let core = &self.text[start..end];
        if core.first() == Some(&b'/') && core.len() > 1 {
            self.path(start, core.to_vec());
        } else {
            let is_number = core.iter().any(u8::is_ascii_digit) && !core[0].is_ascii_alphabetic();
            let is_vouched = self.judge(start, core);
            let is_word = !is_number
                && core.iter().any(|b| b.is_ascii_alphabetic() || *b >= 0x80)
                && !is_level(core)
                && !is_protocol(core);
            self.before.is_told |= is_word;
            self.cores.push(Core { start, end, is_vouched, is_word });
        }
        self.before.word = Some((start, end));
    }

    fn judge(&mut self, start: usize, core: &[u8]) -> bool {
        let bare = core.strip_suffix(b"...").unwrap_or(core);
        let bare = bare
            .strip_suffix(b".")
            .or_else(|| bare.strip_suffix(b"!"))
            .or_else(|| bare.strip_suffix(b"?"))
            .unwrap_or(bare);
        let is_mark = |b: &u8| b.is_ascii_punctuation();
        if core.iter().all(is_mark) {
            return core.len() <= 3 || core.iter().all(|b| *b == core[0]);
        }
        if is_protocol(bare) {
            // The status and the size of the answer follow.
            self.before.numbers = 2;
            return true;
        }
        match number_len(bare) {
            0 => {}
            len if len == bare.len() => {
                let after = &self.text[start + core.len()..];
                let is_place = self.before.numbers > 0;
                self.before.numbers = self.before.numbers.saturating_sub(1);
                let has_unit = || {
                    after.strip_prefix(b" ").is_some_and(|after| {
                        let end =
                            after.iter().position(|b| !b.is_ascii_alphabetic() && *b != b'%').unwrap_or(after.len());
                        end > 1 && is_unit(&after[..end])
                    })
                };
                return is_place || self.before_line(start) || self.is_behind(start, &MEASURES) || has_unit();
            }
            len => return is_unit(&bare[len..]),
        }
        is_version(bare) || is_word(self.voucher, bare)
    }

    /// Is this the number of a line, right behind the name of a file?
    fn before_line(&self, start: usize) -> bool {
        let Some((from, to)) = self.before.word else { return false };
        let file = &self.text[from..to];
        &self.text[to..start] == b":"
            && (is_source_file(file)
                || file.starts_with(b"[file#")
                || (number_len(file) == file.len() && self.text[..from].ends_with(b":")))
    }

    /// A path: of sources as in snapshots, of others each part alone.
    fn path(&mut self, start: usize, path: Vec<u8>) {
        let mut at = start;
        self.before.is_told = true;
        if is_source_file(&path) {
            let mut pieces = Vec::new();
            paths::pieces(&path, &Roots::default(), &mut pieces);
            for piece in &pieces {
                if let Piece::Name(kind, name) = piece
                    && self.voucher.judge(*kind, crate::raw::ingest::role::Role::Script, name).is_none()
                {
                    self.parts.push((at, at + name.len(), *kind));
                }
                at += piece.len();
            }
            return;
        }
        for part in path.split(|b| *b == b'/') {
            if !part.is_empty() && !is_word(self.voucher, part) {
                self.parts.push((at, at + part.len(), Kind::Path));
            }
            at += part.len() + 1;
        }
    }
}

fn is_source_file(path: &[u8]) -> bool {
    const ENDS: [&[u8]; 8] = [b".js", b".mjs", b".cjs", b".ts", b".mts", b".tsx", b".jsx", b".html"];
    path.starts_with(b"node:") || ENDS.iter().any(|end| path.ends_with(end))
}

/// A word of programs: of the list, put together from such words, of a bare runtime, or of the user's own source tree.
fn is_word(voucher: &Voucher<'_>, word: &[u8]) -> bool {
    if word.len() > limits::NAME_BYTES || !word.is_ascii() {
        return false;
    }
    if is_listed(word) || word.split(|b| b"_-./".contains(b)).all(is_compound) {
        return true;
    }
    if word.starts_with(b"node:") {
        return vocabulary::contains(Kind::Script, word);
    }
    let has_both = word.windows(2).any(|w| w[0].is_ascii_lowercase() && w[1].is_ascii_uppercase());
    if has_both && [Kind::Class, Kind::Function, Kind::Key].into_iter().any(|kind| vocabulary::contains(kind, word)) {
        return true;
    }
    if voucher.rules.keeps(Kind::Text, word) {
        return true;
    }
    voucher.tree.contains(&voucher.prints.of(word))
        && !opaque(word)
        && !voucher.rules.objects(word)
        && !voucher.needles.objects(word)
}

/// A name of a field of a structured log that programs use.
pub(super) fn is_field(name: &[u8]) -> bool {
    // What the reader goes by stays, so that a sanitised file is read in the same way.
    if says(name) != Says::Nothing {
        return true;
    }
    name.len() <= limits::NAME_BYTES
        && name.is_ascii()
        && name.strip_prefix(b"@").unwrap_or(name).split(|b| b"_-. ".contains(b)).all(is_compound)
}

/// A word of the list, in small letters, capitals, or begun by a capital.
fn is_listed(word: &[u8]) -> bool {
    let capitals = word.iter().filter(|b| b.is_ascii_uppercase()).count();
    let letters = word.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let is_even = capitals == 0 || capitals == letters || (capitals == 1 && word[0].is_ascii_uppercase());
    is_even && word.len() <= 32 && vocabulary::contains_log_word(&word.to_ascii_lowercase())
}

/// `heapUsed`: words of the list, each begun by a capital.
fn is_compound(word: &[u8]) -> bool {
    if word.is_empty() || word.len() > 64 || is_listed(word) {
        return !word.is_empty() && word.len() <= 64;
    }
    let mut rest = word;
    while !rest.is_empty() {
        let end = (1..rest.len()).find(|at| rest[*at].is_ascii_uppercase() && !rest[at - 1].is_ascii_uppercase());
        let (part, behind) = rest.split_at(end.unwrap_or(rest.len()));
        if part.len() < 2 || !is_listed(part) {
            return false;
        }
        rest = behind;
    }
    true
}

/// Words that stand in a line whoever wrote the rest: levels and methods.
fn is_level(word: &[u8]) -> bool {
    const LEVELS: [&[u8]; 19] = [
        b"get",
        b"post",
        b"put",
        b"delete",
        b"trace",
        b"debug",
        b"info",
        b"warn",
        b"warning",
        b"error",
        b"fatal",
        b"notice",
        b"crit",
        b"critical",
        b"alert",
        b"emerg",
        b"verbose",
        b"log",
        b"err",
    ];
    LEVELS.contains(&word.to_ascii_lowercase().as_slice())
}

/// `HTTP/1.1`.
fn is_protocol(word: &[u8]) -> bool {
    let version = word.strip_prefix(b"HTTP/");
    version.is_some_and(|v| !v.is_empty() && v.len() <= 3 && v.iter().all(|b| b.is_ascii_digit() || *b == b'.'))
}

/// `v20.20.2`.
fn is_version(word: &[u8]) -> bool {
    let Some(rest) = word.strip_prefix(b"v") else { return false };
    let mut parts = 0;
    let all = rest.split(|b| *b == b'.').all(|part| {
        parts += 1;
        (1..=4).contains(&part.len()) && part.iter().all(u8::is_ascii_digit)
    });
    all && (1..=3).contains(&parts)
}

fn is_unit(unit: &[u8]) -> bool {
    UNITS.contains(&unit.to_ascii_lowercase().as_slice())
}

/// How long the number is that a text begins with: ten digits at most, six behind the point.
fn number_len(text: &[u8]) -> usize {
    let sign = usize::from(matches!(text.first(), Some(b'-' | b'+')));
    let digits = |from: usize| text[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let whole = digits(sign);
    if !(1..=10).contains(&whole) {
        return 0;
    }
    let end = sign + whole;
    if matches!(text.get(end), Some(b'.')) {
        let part = digits(end + 1);
        if (1..=17).contains(&part) {
            return end + 1 + part;
        }
    }
    end
}
