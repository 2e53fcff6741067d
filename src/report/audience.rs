//! Who reads a page, and what they may see.

use crate::check::Line;
use crate::errors::Failure;

/// Who reads a page. The public sees no key values, no source, no count below k, and of
/// each property only that it holds: a figure that misses its requirement tells an intruder
/// that a small group is there to be found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Audience {
    Steward,
    /// counts below k are not shown
    Public {
        k: i64,
    },
}

impl Audience {
    /// The audience of this name; `k` is what is required of groups.
    pub fn new(name: &str, k: Option<i32>) -> Self {
        match (name, k) {
            ("steward", _) => Audience::Steward,
            ("public", Some(k)) => Audience::Public { k: i64::from(k) },
            ("public", None) => Failure::invalid("a report for the public needs k")
                .hint("Counts below k are left out: pass k => 5, or whatever is required.")
                .raise(),
            _ => Failure::invalid(format!("unknown audience \"{name}\""))
                .hint("Audiences are: steward, public.")
                .raise(),
        }
    }

    pub fn is_public(self) -> bool {
        self != Audience::Steward
    }

    /// Whether the figures behind a line may be shown.
    pub fn may_see(self, line: &Line) -> bool {
        !self.is_public() || line.satisfied() == Some(true)
    }

    /// Whether figures may be shown that a property keeps safe, whichever column it is about.
    pub fn may_see_behind(self, lines: &[Line], properties: &[&str], column: Option<&str>) -> bool {
        let about = |line: &&Line| {
            properties.contains(&line.property) && line.attribute.as_deref() == column
        };
        !self.is_public() || lines.iter().filter(about).any(|line| self.may_see(line))
    }

    /// A count, or that it is below k.
    pub fn count(self, count: i64) -> String {
        match self {
            Audience::Public { k } if count > 0 && count < k => format!("fewer than {k}"),
            _ => super::format::whole(count),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(required: Option<f64>, violating_groups: i64) -> Line {
        Line {
            property: "k-anonymity",
            attribute: None,
            required,
            actual: Some(2.0),
            violating_groups: Some(violating_groups),
            violating_rows: None,
        }
    }

    #[test]
    fn the_public_sees_only_what_holds() {
        let public = Audience::new("public", Some(5));
        assert!(public.may_see(&line(Some(2.0), 0)));
        assert!(!public.may_see(&line(Some(3.0), 1)));
        assert!(!public.may_see(&line(None, 0)));
        assert!(Audience::Steward.may_see(&line(Some(3.0), 1)));
        assert!(!public.may_see_behind(&[line(Some(2.0), 0)], &["l-diversity"], None));
    }

    #[test]
    fn the_public_sees_no_count_below_k() {
        let public = Audience::new("public", Some(5));
        assert_eq!(public.count(4), "fewer than 5");
        assert_eq!(public.count(5), "5");
        assert_eq!(public.count(0), "0");
        assert_eq!(Audience::Steward.count(4), "4");
    }
}
