//! Why a text was or was not replaced: the parts it plays, what rules found, who holds it, what was decided. Never the text.

use super::edits::{Edits, Outcome};
use super::find::Hit;
use super::labels::{self, Piece, Scope};
use super::tags;
use super::vouch::{Reason, Voucher};
use super::wall::SafeText;
use crate::heap::StrId;
use crate::profile::Profile;
use crate::raw::ingest::context::{Form, Held};
use crate::raw::ingest::role::Role;
use crate::raw::ingest::{NodeText, Source};
use crate::{Result, limits};

/// What was decided about one node.
#[derive(Clone, Debug)]
pub struct Explained {
    /// The number of the node, as DevTools shows it.
    pub node: u64,
    /// The profile that decided.
    pub profile: Profile,
    /// Why there is nothing to tell, if there is not.
    pub nothing: Option<&'static str>,
    /// Each part that its text plays, what became of it there, and why.
    pub roles: Vec<(Role, &'static str, &'static str)>,
    /// Rules that found something in it.
    pub rules: Vec<&'static str>,
    /// Who holds it: how, under which key, in an object of which class. Names are as they are written.
    pub holders: Vec<(&'static str, SafeText, Option<SafeText>)>,
    /// Holders that are not listed.
    pub more_holders: u64,
}

/// What decisions are told from.
pub(super) struct Told<'a, 'r> {
    pub(super) source: &'a dyn Source,
    pub(super) edits: &'a Edits,
    pub(super) voucher: &'a Voucher<'r>,
    pub(super) scope: &'a Scope,
    pub(super) hits: &'a [Hit],
    pub(super) profile: Profile,
}

impl Told<'_, '_> {
    /// Explains one node.
    pub(super) fn explain(&self, node: u64) -> Result<Explained> {
        let mut told = Explained {
            node,
            profile: self.profile,
            nothing: None,
            roles: Vec::new(),
            rules: Vec::new(),
            holders: Vec::new(),
            more_holders: 0,
        };
        let id = match self.source.text_of_node(node)? {
            NodeText::Unit(id) => id,
            NodeText::NoNode => return Ok(Explained { nothing: Some("there is no node with this number"), ..told }),
            NodeText::NoText => return Ok(Explained { nothing: Some("this node is no text"), ..told }),
            NodeText::Joined => {
                let nothing = "this text is put together from others; ask for those (DevTools shows them as first, second or parent)";
                return Ok(Explained { nothing: Some(nothing), ..told });
            }
        };
        told.roles = self.source.roles(id).iter().map(|role| self.role(id, role)).collect();
        told.rules = self.hits.iter().filter(|hit| hit.id == id).map(|hit| hit.kind.word()).collect();
        told.rules.sort_unstable();
        told.rules.dedup();
        self.source.holders(&|_| true, &mut |view| {
            if view.held != Held::Unit(id) {
                return;
            }
            if told.holders.len() >= limits::EXPLAINED_HOLDERS {
                told.more_holders += 1;
                return;
            }
            let form = match view.form {
                Form::Property => "property",
                Form::Variable => "variable",
                Form::Entry => "entry",
            };
            let key = match view.key {
                Held::Unit(key) => self.name(key, &KEYS),
                _ => SafeText::literal("(a key that is put together)"),
            };
            told.holders.push((form, key, view.owner.map(|owner| self.name(owner, &OWNERS))));
        });
        Ok(told)
    }

    /// What became of a text in one part that it plays.
    fn role(&self, id: StrId, role: Role) -> (Role, &'static str, &'static str) {
        let mut scratch = Vec::new();
        let text = self.source.text(id, &mut scratch).expose();
        if tags::parse(text, self.voucher.bound).is_some() {
            return (role, "stays", "it is a placeholder of an earlier run");
        }
        let entry = self.edits.id_for(id, role);
        let outcome = match entry.ix().checked_sub(self.edits.entries.len()) {
            None => self.edits.entries[entry.ix()],
            Some(twin) => self.edits.twins[twin].1,
        };
        match (outcome, self.profile.is_strict()) {
            (Outcome::Keep, false) => (role, "stays", "nothing was found in it"),
            (Outcome::Keep, true) => (role, "stays", self.reason(role, text)),
            (Outcome::Tag(..), false) => (role, "replaced", "what was found is all of it, or it could not be cut out"),
            (Outcome::Mixed(_), false) => (role, "replaced in part", "what was found was cut out"),
            (Outcome::Tag(..), true) if role.is_value() => {
                (role, "replaced", "it is content, and no keep rule names it")
            }
            (Outcome::Tag(..), true) => (role, "replaced", "nobody vouches for it as a name"),
            (Outcome::Mixed(_), true) => (role, "replaced in part", "nobody vouches for some of its names"),
        }
    }

    fn reason(&self, role: Role, text: &[u8]) -> &'static str {
        let mut pieces = Vec::new();
        labels::pieces(role, text, self.scope, &mut pieces);
        let reasons = pieces.iter().filter_map(|piece| match piece {
            Piece::Name(kind, name) => self.voucher.judge(*kind, role, name),
            _ => None,
        });
        match reasons.max() {
            None | Some(Reason::Vocabulary) => "a bare runtime has it",
            Some(Reason::Code) => "live code of the program names it",
            Some(Reason::SourceTree) => "the source tree of --names-from has it",
            Some(Reason::KeepRule) => "a keep rule names it",
            Some(Reason::NothingFound) => "nothing was found in it",
        }
    }

    /// The name of a holder, as it is written; keys of data are not told even where they stay.
    fn name(&self, id: StrId, roles: &[Role]) -> SafeText {
        let all = self.source.roles(id);
        if all.contains(Role::DataKey) || all.contains(Role::DoubtfulKey) {
            return SafeText::literal("(a key of data)");
        }
        let Some(role) = roles.iter().find(|role| all.contains(**role)) else {
            return SafeText::literal("(a text)");
        };
        let mut scratch = self.edits.scratch();
        SafeText::from(self.edits.entry(self.edits.id_for(id, *role), self.source, &mut scratch))
    }
}

/// The parts in which a key is a name, and in which an owner is.
const KEYS: [Role; 3] = [Role::Key, Role::OwnKey, Role::Variable];
const OWNERS: [Role; 6] = [Role::Class, Role::Function, Role::Native, Role::Code, Role::Structure, Role::Script];
