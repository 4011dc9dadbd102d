//! DSSE: an envelope around a statement, with one ed25519 signature over its type and its bytes.

use base64ct::{Base64, Encoding};
use serde_json::{Value, json};

use super::key::{PrivateKey, PublicKey, is_signed};
use super::statement::Statement;

const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

/// A statement in its envelope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    payload: Vec<u8>,
    /// The SHA-256 of the public key.
    pub(super) keyid: String,
    signature: Vec<u8>,
}

impl Envelope {
    /// Signs a statement.
    #[must_use]
    pub fn sign(statement: &Statement, key: &PrivateKey) -> Self {
        let payload = statement.to_json().into_bytes();
        let signature = key.sign(&authenticated(&payload)).to_vec();
        Self { payload, keyid: key.public().name(), signature }
    }

    /// The one form that it is written in; README.txt tells how to read it with sed.
    #[must_use]
    pub fn to_json(&self) -> String {
        let value = json!({
            "payload": Base64::encode_string(&self.payload),
            "payloadType": PAYLOAD_TYPE,
            "signatures": [{ "keyid": self.keyid, "sig": Base64::encode_string(&self.signature) }],
        });
        // A tree of texts always serialises.
        serde_json::to_string_pretty(&value).unwrap_or_else(|_| unreachable!("an envelope serialises")) + "\n"
    }

    /// Reads an envelope: exactly in the form in which it is written, or not at all.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(bytes).ok()?;
        let signature = value.get("signatures")?.get(0)?;
        let decoded = |value: Option<&Value>| Base64::decode_vec(value?.as_str()?).ok();
        let envelope = Self {
            payload: decoded(value.get("payload"))?,
            keyid: signature.get("keyid")?.as_str()?.to_owned(),
            signature: decoded(signature.get("sig"))?,
        };
        (envelope.to_json().as_bytes() == bytes).then_some(envelope)
    }

    /// What it says, whoever says it; nothing if it is no statement of ours.
    #[must_use]
    pub fn statement(&self) -> Option<Statement> {
        Statement::read(&self.payload).filter(|statement| statement.signer == self.keyid)
    }

    /// Was it signed with this key?
    #[must_use]
    pub fn is_signed_by(&self, key: &PublicKey) -> bool {
        match key {
            PublicKey::Ed25519(key) => is_signed(key, &authenticated(&self.payload), &self.signature),
            PublicKey::Ssh(_) => false,
        }
    }
}

/// What is signed: the type and the bytes, each with its length.
fn authenticated(payload: &[u8]) -> Vec<u8> {
    let head = format!("DSSEv1 {} {PAYLOAD_TYPE} {} ", PAYLOAD_TYPE.len(), payload.len());
    [head.as_bytes(), payload].concat()
}

#[cfg(test)]
mod tests {
    use super::super::statement::Act;
    use super::*;
    use crate::date::Date;

    #[test]
    fn every_change_of_an_envelope_is_noticed() {
        let key = PrivateKey::generate().expect("a key");
        let (manifest, act, date) = ([7; 32], Act::Made, Date::read("2026-11-19").expect("a day"));
        let statement = Statement { manifest, act, date, signer: key.public().name(), kept: None };
        let envelope = Envelope::sign(&statement, &key);
        let json = envelope.to_json();
        let read = Envelope::read(json.as_bytes()).expect("as it was written");
        assert!(read.is_signed_by(&key.public()));
        assert_eq!(read.statement(), Some(statement));
        assert!(!read.is_signed_by(&PrivateKey::generate().expect("a key").public()));
        for at in 0..json.len() {
            let mut changed = json.clone().into_bytes();
            changed[at] ^= 1;
            let passes =
                Envelope::read(&changed).is_some_and(|e| e.statement().is_some() && e.is_signed_by(&key.public()));
            assert!(!passes, "byte {at}");
        }
    }

    #[test]
    fn the_bytes_that_are_signed_are_those_of_the_standard() {
        assert_eq!(authenticated(b"hello"), b"DSSEv1 28 application/vnd.in-toto+json 5 hello");
    }
}
