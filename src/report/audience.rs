//! Who reads a page, and what they may see.

use crate::pg::errors::Failure;
use crate::release::Line;
use sdc_engine::model::Property;
use sdc_page::format::whole;

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
                .hint("A public report leaves out counts below k. Pass k => 5, or the k that is required.")
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
    pub fn may_see_behind(
        self,
        lines: &[Line],
        properties: &[Property],
        column: Option<&str>,
    ) -> bool {
        let about = |line: &&Line| {
            properties.contains(&line.property) && line.attribute.as_deref() == column
        };
        !self.is_public() || lines.iter().filter(about).any(|line| self.may_see(line))
    }

    /// A count, or that it is below k.
    pub fn count(self, count: i64) -> String {
        match self {
            Audience::Public { k } if count > 0 && count < k => format!("fewer than {k}"),
            _ => whole(count),
        }
    }
}
