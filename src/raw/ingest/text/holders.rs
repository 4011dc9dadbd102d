//! Who holds a value of JSON: its key, and the keys of what it stands in, as far as they say something about it.

use super::Document;
use super::read::{NONE, Shape};
use crate::heap::StrId;
use crate::limits;
use crate::raw::ingest::context::{ContextView, Form, Held};

impl Document<'_> {
    /// Visits every holder of these units under a wanted key.
    pub(super) fn holders_of(
        &self,
        units: std::ops::Range<u32>,
        wanted: &dyn Fn(Held) -> bool,
        each: &mut dyn FnMut(&ContextView<'_>),
    ) {
        for unit in units {
            if !matches!(self.shape(StrId(unit)), Shape::Text(_) | Shape::Number(_)) {
                continue;
            }
            let held = Held::Unit(StrId(unit));
            let (mut frame, mut key, element) = self.tree.held[unit as usize];
            self.before(unit, (frame, element), wanted, each);
            self.named(unit, frame, wanted, each);
            let mut depth = 0;
            let mut is_direct = true;
            while frame != NONE && depth <= limits::HELD_DEPTH {
                let here = self.tree.frames[frame as usize];
                if here.is_object && key != NONE && (is_direct || !self.is_kind(key)) {
                    self.tell(held, key, frame, Form::Property, wanted, each);
                }
                // `type: 'text'` says what the rest is, and nothing else does.
                if is_direct && here.is_object && key != NONE && self.is_kind(key) {
                    break;
                }
                is_direct = is_direct && !here.is_object;
                depth += u32::from(here.is_object);
                (frame, key) = (here.parent, here.key);
            }
        }
    }

    fn tell(
        &self,
        held: Held,
        key: u32,
        frame: u32,
        form: Form,
        wanted: &dyn Fn(Held) -> bool,
        each: &mut dyn FnMut(&ContextView<'_>),
    ) {
        let key = Held::Unit(StrId(key));
        if wanted(key) {
            let here = self.tree.frames[frame as usize];
            // An object is called what the key says that holds it.
            let owner = (here.key != NONE).then_some(StrId(here.key));
            let siblings = &self.tree.keys[here.keys.0 as usize..here.keys.1 as usize];
            each(&ContextView { held, form, key, owner, siblings });
        }
    }

    /// Is this the key that says of what kind an object is?
    fn is_kind(&self, key: u32) -> bool {
        self.place(StrId(key)).is_some_and(|key| matches!(key, b"type" | b"kind"))
    }

    /// A text in a list says what the next one is: `["Authorization", "Bearer …"]`.
    fn before(
        &self,
        unit: u32,
        (frame, element): (u32, u32),
        wanted: &dyn Fn(Held) -> bool,
        each: &mut dyn FnMut(&ContextView<'_>),
    ) {
        let Some(before) = unit.checked_sub(1).filter(|_| frame != NONE && element > 0) else { return };
        let is_pair = self.tree.held[before as usize] == (frame, NONE, element - 1);
        if is_pair && matches!(self.shape(StrId(before)), Shape::Text(_)) && wanted(Held::Unit(StrId(before))) {
            let (held, key) = (Held::Unit(StrId(unit)), Held::Unit(StrId(before)));
            each(&ContextView { held, form: Form::Entry, key, owner: None, siblings: &[] });
        }
    }

    /// An object of a name and a value: `{"name": "password", "value": "…"}`.
    fn named(&self, unit: u32, frame: u32, wanted: &dyn Fn(Held) -> bool, each: &mut dyn FnMut(&ContextView<'_>)) {
        let is_called = |unit: u32, names: &[&[u8]]| {
            let key = self.tree.held[unit as usize].1;
            key != NONE && self.place(StrId(key)).is_some_and(|key| names.contains(&key))
        };
        if frame == NONE || !is_called(unit, &[b"value", b"Value", b"val"]) {
            return;
        }
        // Both stand near each other.
        let near = unit.saturating_sub(NEAR)..(unit + NEAR).min(self.tree.held.len() as u32);
        let name = near.into_iter().find(|other| {
            *other != unit
                && self.tree.held[*other as usize].0 == frame
                && matches!(self.shape(StrId(*other)), Shape::Text(_))
                && is_called(*other, &[b"name", b"key", b"Name", b"Key", b"header"])
        });
        if let Some(key) = name.map(|name| Held::Unit(StrId(name))).filter(|key| wanted(*key)) {
            let held = Held::Unit(StrId(unit));
            each(&ContextView { held, form: Form::Entry, key, owner: None, siblings: &[] });
        }
    }
}

/// Values between a name and its value.
const NEAR: u32 = 8;
