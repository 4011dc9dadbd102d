//! Tables of values: cells between commas, semicolons or tabs, in quotes where need be (RFC 4180). A table that cannot be
//! read to its end is refused: a value that was overlooked would be looked for nowhere.

use zeroize::Zeroizing;

use crate::{Error, Kind, Result, Stage};

/// A cell and the line in which it begins.
type Cell = (u64, Zeroizing<Vec<u8>>);

/// The cells of these columns, by name or by number from 1; of all if there are none. Where a column is asked for by its
/// name, the first row has names and no values.
pub(super) fn cells(text: &[u8], is_tabbed: bool, columns: &[String]) -> Result<Vec<Cell>> {
    let mut rows = rows(text, if is_tabbed { b'\t' } else { mark(text) })?.into_iter();
    let number = |name: &String| name.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let header = if columns.iter().all(|name| number(name).is_some()) { None } else { rows.next() };
    let wanted = columns.iter().map(|name| {
        let by_name = || {
            let is_it = |(_, cell): &Cell| cell.eq_ignore_ascii_case(name.trim().as_bytes());
            header.as_ref()?.iter().position(is_it)
        };
        let missing = Error::new(Stage::Input, Kind::NoSuchColumn { what: "--values-column" });
        number(name).or_else(by_name).ok_or(missing)
    });
    let wanted = wanted.collect::<Result<Vec<usize>>>()?;
    let all = rows.flat_map(|row| row.into_iter().enumerate());
    let chosen = all.filter(|(column, (_, cell))| (wanted.is_empty() || wanted.contains(column)) && !cell.is_empty());
    Ok(chosen.map(|(_, cell)| cell).collect())
}

/// What separates cells: whichever mark the first line has most of, outside of quotes.
fn mark(text: &[u8]) -> u8 {
    let line = text.split(|b| *b == b'\n').next().unwrap_or_default();
    // Every second stretch between quotes is inside of them.
    let outside = || line.split(|b| *b == b'"').step_by(2).flatten();
    let count = |mark: u8| outside().filter(|b| **b == mark).count();
    // Of equal numbers the first one counts: most tables have commas.
    [b'\t', b';', b','].into_iter().max_by_key(|mark| count(*mark)).unwrap_or(b',')
}

fn rows(text: &[u8], mark: u8) -> Result<Vec<Vec<Cell>>> {
    let (mut rows, mut row) = (Vec::new(), Vec::new());
    let (mut at, mut line) = (0, 1);
    while at < text.len() {
        let begins = line;
        let blanks = text[at..].iter().take_while(|b| matches!(**b, b' ' | b'\t') && **b != mark).count();
        let mut cell = Zeroizing::new(Vec::new());
        if text.get(at + blanks) == Some(&b'"') {
            at += blanks + 1;
            loop {
                let close = memchr::memchr(b'"', &text[at..]).map(|n| at + n);
                let open = Error::new(Stage::Input, Kind::ValuesQuote { line: begins });
                let close = close.ok_or(open)?;
                cell.extend_from_slice(&text[at..close]);
                line += text[at..close].iter().filter(|b| **b == b'\n').count() as u64;
                at = close + 1;
                if text.get(at) != Some(&b'"') {
                    break;
                }
                cell.push(b'"');
                at += 1;
            }
        }
        // The rest of the cell; behind a quoted one there is nothing but blanks, or it was no quoted one.
        let end = text[at..].iter().position(|b| *b == mark || *b == b'\n').map_or(text.len(), |n| at + n);
        cell.extend_from_slice(&text[at..end]);
        let trimmed = Zeroizing::new(cell.trim_ascii().to_vec());
        row.push((begins, trimmed));
        at = end + 1;
        if text.get(end) != Some(&mark) {
            line += 1;
            rows.push(std::mem::take(&mut row));
        }
    }
    if !row.is_empty() {
        rows.push(row);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, columns: &[&str], expected: &[(u64, &str)]) {
        let columns: Vec<String> = columns.iter().map(|c| (*c).to_owned()).collect();
        let cells = cells(text.as_bytes(), false, &columns).expect("a table");
        let found: Vec<(u64, &str)> =
            cells.iter().map(|(line, cell)| (*line, std::str::from_utf8(cell).expect("UTF-8"))).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn cells_of_tables() {
        check("a,b\nc,d\n", &[], &[(1, "a"), (1, "b"), (2, "c"), (2, "d")]);
        check("a;\"b; \"\"c\"\"\"\r\n\r\n ;e", &[], &[(1, "a"), (1, "b; \"c\""), (3, "e")]);
        check("name\tage\nErika\t44", &["NAME"], &[(2, "Erika")]);
        check("id,name\n1,\"Muster\nmann, E\"\n2,Otto", &["name"], &[(2, "Muster\nmann, E"), (4, "Otto")]);
        check("1,Erika\n2,Otto\n", &["2"], &[(1, "Erika"), (2, "Otto")]);
        check("x,\"a\"b\n", &[], &[(1, "x"), (1, "ab")]);
        check("5\" disk,b\n", &[], &[(1, "5\" disk"), (1, "b")]);
        check("one\ntwo", &[], &[(1, "one"), (2, "two")]);
        check("a,\n,b,", &[], &[(1, "a"), (2, "b")]);
    }

    #[test]
    fn tables_that_cannot_be_read() {
        let kind =
            |text: &str, column: &str| cells(text.as_bytes(), false, &[column.to_owned()]).expect_err("no table").kind;
        assert_eq!(kind("a,b\nc,\"d\n", "1"), Kind::ValuesQuote { line: 2 });
        assert_eq!(kind("a,b\nc,d\n", "mail"), Kind::NoSuchColumn { what: "--values-column" });
    }
}
