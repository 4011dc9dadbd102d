//! Which service a dump is of, and when it was taken: told by a pattern over paths, or by a file of labels.

use std::collections::BTreeMap;
use std::path::Path;

use regex_automata::meta::Regex;
use regex_automata::util::captures::Captures;
use regex_automata::util::syntax;

use super::place::Place;
use crate::ConfigError;

/// What tells services and times.
#[derive(Debug, Default)]
pub struct LabelRules {
    pattern: Option<Regex>,
    listed: BTreeMap<String, (Option<String>, Option<String>)>,
}

/// The most that a file of labels has.
const FILE_BYTES: u64 = 256 << 20;

impl LabelRules {
    /// Takes a pattern with the groups `service` and `time`, or one of them.
    ///
    /// # Errors
    /// When it does not compile, or has neither group.
    pub fn pattern(&mut self, pattern: &str) -> Result<(), ConfigError> {
        let shown = crate::report::escape::plain(pattern);
        let fault = |what: &str| ConfigError::new(format!("--series '{shown}': {what}"));
        // Letters of the alphabet and digits are those of ASCII.
        let config = syntax::Config::new().unicode(false).utf8(false);
        let built = Regex::builder().syntax(config).build(pattern);
        let regex = built.map_err(|_| fault("this is no regular expression"))?;
        let info = regex.group_info();
        let has = |name| info.to_index(regex_automata::PatternID::ZERO, name).is_some();
        if !has("service") && !has("time") {
            return Err(fault("it needs a group (?<service>...), and (?<time>...) if the path tells it"));
        }
        self.pattern = Some(regex);
        Ok(())
    }

    /// Takes a file of labels: CSV with the columns path, service and time, named in the first line.
    ///
    /// # Errors
    /// When the file cannot be read, or a line has not as many fields as the first one.
    pub fn file(&mut self, path: &Path) -> Result<(), ConfigError> {
        let name = crate::report::escape::plain(&path.to_string_lossy());
        let fault = |what: String| ConfigError::new(format!("{name}{what}"));
        let large = std::fs::metadata(path).is_ok_and(|meta| meta.len() > FILE_BYTES);
        if large {
            return Err(fault(": larger than 256 MiB".to_owned()));
        }
        let text = std::fs::read_to_string(path).map_err(|e| fault(format!(": {e}")))?;
        let mut lines = (1..).zip(text.lines());
        let header = lines.next().map(|(_, line)| fields(line)).unwrap_or_default();
        let column = |name: &str| header.iter().position(|h| h == name);
        let (at_path, at_service, at_time) = (column("path"), column("service"), column("time"));
        let Some(at_path) = at_path.filter(|_| at_service.is_some() || at_time.is_some()) else {
            return Err(fault(": the first line names the columns: path,service,time".to_owned()));
        };
        for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let fields = fields(line);
            if fields.len() != header.len() {
                return Err(fault(format!(
                    ", line {number}: {} fields, where the first line has {}",
                    fields.len(),
                    header.len()
                )));
            }
            let field = |at: Option<usize>| at.and_then(|at| fields.get(at)).filter(|f| !f.is_empty()).cloned();
            self.listed.insert(fields[at_path].clone(), (field(at_service), field(at_time)));
        }
        Ok(())
    }

    /// Service and time of a dump. A line of a file says it before the pattern does; it names the path as it is called, or
    /// as it lies on the disk.
    pub(crate) fn of(&self, place: &Place) -> (Option<String>, Option<String>) {
        let on_disk = place.path();
        if let Some(told) = self.listed.get(place.called()).or_else(|| self.listed.get(&*on_disk.to_string_lossy())) {
            return told.clone();
        }
        let Some(regex) = &self.pattern else { return (None, None) };
        let mut captures: Captures = regex.create_captures();
        regex.captures(place.called(), &mut captures);
        let group = |name| {
            captures.get_group_by_name(name).and_then(|span| place.called().get(span.range())).map(str::to_owned)
        };
        if captures.is_match() { (group("service"), group("time")) } else { (None, None) }
    }
}

/// Fields of a line of CSV; quotes may hold commas.
fn fields(line: &str) -> Vec<String> {
    let (mut out, mut field, mut quoted) = (Vec::new(), String::new(), false);
    let mut chars = line.trim_end_matches('\r').chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                field.push('"');
                chars.next();
            }
            '"' => quoted = !quoted,
            ',' if !quoted => out.push(std::mem::take(&mut field)),
            c => field.push(c),
        }
    }
    out.push(field);
    out.into_iter().map(|field| field.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(called: &str) -> Place {
        Place::new(&Path::new("/archive").join(called), called.to_owned(), 1, 0)
    }

    #[test]
    fn patterns_tell_service_and_time() {
        let mut rules = LabelRules::default();
        rules.pattern(r"(?<service>[^/]+)/(?<time>\d{4}-\d\d-\d\d)").expect("a pattern");
        let told = rules.of(&place("dumps/desk/2026-11-19.heapsnapshot"));
        assert_eq!(told, (Some("desk".into()), Some("2026-11-19".into())));
        assert_eq!(rules.of(&place("dumps/other")), (None, None));
        assert!(rules.pattern("(?<other>x)").is_err() && rules.pattern("(").is_err());
    }

    #[test]
    fn fields_of_a_line() {
        assert_eq!(fields("a,\"b, \"\"c\"\"\",,d\r"), ["a", "b, \"c\"", "", "d"]);
    }
}
