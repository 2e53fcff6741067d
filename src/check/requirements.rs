//! What a caller requires of a table, and which requirements make no sense.

use crate::pg::errors::Failure;
use crate::read::given_requirements;
use crate::read::named_arguments::NamedArguments;
use sdc_engine::model::Property;

/// What a caller requires; what is not required is only shown.
#[derive(Default, Clone, Copy)]
pub struct Requirements {
    pub k: Option<i32>,
    pub p: Option<i32>,
    pub l: Option<f64>,
    pub t: Option<f64>,
    pub alpha: Option<f64>,
}

impl Requirements {
    pub fn of_arguments(arguments: &NamedArguments<'_>) -> Self {
        Requirements {
            k: arguments.optional("k"),
            p: arguments.optional("p"),
            l: arguments.optional("l"),
            t: arguments.optional("t"),
            alpha: arguments.optional("alpha"),
        }
    }

    fn none(&self) -> bool {
        self.k.is_none()
            && self.p.is_none()
            && self.l.is_none()
            && self.t.is_none()
            && self.alpha.is_none()
    }

    /// Refuses a call that requires nothing.
    pub fn refuse_none(&self) {
        if self.none() {
            Failure::invalid("no requirement is given")
                .hint("Give k, p, l, t, alpha, k_map or delta.")
                .raise();
        }
    }

    /// What (p+,alpha)-sensitivity requires.
    pub fn p_alpha(k: i32, p: i32, alpha: f64) -> Self {
        Requirements {
            k: Some(k),
            p: Some(p),
            alpha: Some(alpha),
            ..Default::default()
        }
    }

    /// Refuses requirements that no table could meet, or every table does.
    pub fn refuse_nonsense(&self) {
        let Requirements { k, p, l, t, alpha } = *self;
        at_least("k", k.map(f64::from), Property::KAnonymity);
        at_least("p", p.map(f64::from), Property::PSensitivity);
        at_least("l", l, Property::LDiversity);
        given_requirements::refuse_distance(t);
        at_least("alpha", alpha, Property::AlphaWeight);
    }

    /// Refuses more values in a group than rows. (Persons may have several rows, and values.)
    pub fn refuse_p_above_k(&self) {
        if let (Some(k), Some(p)) = (self.k, self.p)
            && p > k
        {
            Failure::invalid(format!("p = {p} is larger than k = {k}"))
                .detail("A group of k rows holds at most k distinct values.")
                .hint(format!("Use p => {k} or less, or a larger k."))
                .raise();
        }
    }

    /// Refuses requirements on sensitive columns where none is named.
    pub fn refuse_without_sensitive(&self) {
        given_requirements::refuse_without_sensitive(&[
            ("p", self.p.is_some()),
            ("l", self.l.is_some()),
            ("t", self.t.is_some()),
        ]);
    }
}

fn at_least(name: &str, value: Option<f64>, property: Property) {
    let least = property.least_requirement();
    if let Some(value) = value
        && (value.is_nan() || value < least)
    {
        Failure::invalid(format!("{name} must be at least {least}, not {value}"))
            .hint(format!("Use {name} => {least} or more."))
            .raise();
    }
}
