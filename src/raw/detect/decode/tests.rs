//! Decoded forms of texts, and where they stand.

use super::*;

/// The decoded forms that hold a word, each with the part of the original it stands in.
fn found(text: &str, word: &str) -> Vec<String> {
    let mut out = Vec::new();
    forms(text.as_bytes(), Tried::default(), &mut |form, _| {
        let at = form.text.windows(word.len()).position(|w| w == word.as_bytes());
        if let Some(at) = at {
            let (start, end) = form.original(at, at + word.len());
            out.push(text[start..end].to_owned());
        }
    });
    out
}

#[test]
fn every_encoding() {
    let base64 = "Z2hwX3NlY3JldHRva2VuMTIz";
    assert_eq!(found(&format!("data:{base64}=="), "ghp_secrettoken"), [base64]);
    assert_eq!(found(&format!("user/{base64}"), "ghp_secrettoken").len(), 1);
    let hex = "6768705f736563726574746f6b656e";
    assert_eq!(found(&format!("x {hex} y"), "ghp_secrettoken"), [hex]);
    assert_eq!(found("a=%67hp%5Fsecret%2Fx", "ghp_secret"), ["%67hp%5Fsecret"]);
    assert_eq!(found(r#"{\"t\":\"ghp_sec\u0072et\"}"#, "ghp_secret"), [r"ghp_sec\u0072et"]);
    assert_eq!(found("g\0h\0p\0_\0s\0e\0c\0", "ghp_sec"), ["g\0h\0p\0_\0s\0e\0c\0"]);
}

#[test]
fn bytes_and_characters_one_by_one() {
    let token = "ghp_secrettoken";
    let each = |form: fn(u8) -> String, mark: &str| token.bytes().map(form).collect::<Vec<_>>().join(mark);
    let (hex, decimal) = (|b| format!("{b:02x}"), |b: u8| b.to_string());
    for text in [
        format!("<Buffer {}>", each(hex, " ")),
        format!("x {} y", each(hex, ":")),
        format!("[{}]", each(decimal, ",")),
        format!("[{}]", each(decimal, ", ")),
        each(|b| format!("&#{b};"), ""),
        each(|b| format!("&#x{b:x};"), ""),
        each(|b| format!("\\u{{{b:x}}}"), ""),
        each(|b| format!("\\{b:03o}"), ""),
    ] {
        assert_eq!(found(&text, token).len(), 1, "{text}");
    }
    assert_eq!(found("{&quot;password&quot;:1}", "\"password\""), ["&quot;password&quot;"]);
    for noise in ["10, 20, 30, 40, 50, 60, 70, 80, 90", "12:34:56", "a-b-c-d-e-f-a-b-c-d"] {
        forms(noise.as_bytes(), Tried::default(), &mut |form, _| panic!("{noise}: {form:?}"));
    }
}

#[test]
fn utf_16_with_blanks_for_zeros() {
    assert_eq!(found("g h p _ s e c r e t t ", "ghp_secrett"), ["g h p _ s e c r e t t "]);
    assert_eq!(found(" g h p _ s e c r e t t", "ghp_secrett"), ["g h p _ s e c r e t t"]);
    assert_eq!(found("it is g h p _   s e c r e t \u{e9} ", "ghp_ secret\u{e9}"), ["g h p _   s e c r e t \u{e9} "]);
    assert_eq!(found("it is g h p _ s e c r e t ", "ghp_secret").len(), 1);
    assert_eq!(found("it is g h p _ s e c r e t ", "sghp_"), Vec::<String>::new());
    assert_eq!(found("a b c and words of d e f", "abc"), Vec::<String>::new());
}

#[test]
fn base64_over_several_lines() {
    let lines = "YSBsZXR0ZXIgdG8gV2ls\r\naGVsbWluYSBPc3RyYW5k\r\nZXIgb2YgdG9kYXk=";
    assert_eq!(found(&format!("x {lines} y"), "Wilhelmina Ostrander"), [lines.trim_end_matches('=')]);
    let lines = lines.replace('\r', "");
    assert_eq!(found(&format!("{lines}\nmore"), "Wilhelmina Ostrander"), [lines.trim_end_matches('=')]);
}

/// All forms of a text, and of its forms, down to a depth.
fn count(text: &[u8], tried: Tried, depth: u32) -> usize {
    let mut all = 0;
    forms(text, tried, &mut |form, tried| {
        all += 1 + if depth > 1 { count(&form.text, tried, depth - 1) } else { 0 };
    });
    all
}

#[test]
fn encodings_side_by_side_are_undone_in_one_order() {
    let mixed = br#"{"a":"x%20y&amp;z","b":"q=\"r+s\""}"#;
    assert!(count(mixed, Tried::default(), 5) < 20, "{}", count(mixed, Tried::default(), 5));
    // One inside the other, in either order, beside others.
    for hidden in [r"a+b=1&amp;%20 \u0025\u0036\u0037hp_secret", r"a+b=1&amp;\t %5Cu0067hp_secret"] {
        let mut found = false;
        let mut stack = vec![(hidden.as_bytes().to_vec(), Tried::default(), 5)];
        while let Some((text, tried, depth)) = stack.pop() {
            found |= text.windows(10).any(|w| w == b"ghp_secret");
            if depth > 0 {
                forms(&text, tried, &mut |form, tried| stack.push((form.text.clone(), tried, depth - 1)));
            }
        }
        assert!(found, "{hidden}");
    }
}

#[test]
fn noise_is_no_text() {
    for noise in ["xK9mQ2vLr7TbN4wZc8YpH3sD", "getElementsByClassNameAndMore", "0123456789abcdef0123456789abcdef"] {
        let mut count = 0;
        forms(noise.as_bytes(), Tried::default(), &mut |_, _| count += 1);
        assert_eq!(count, 0, "{noise}");
    }
}
