//! The properties that users can ask for: one table of names, directions and least requirements.

use super::{Bound, Merging, ModelKind};

/// A property of a table that users can require.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Property {
    KAnonymity,
    PSensitivity,
    LDiversity,
    TCloseness,
    PPlus,
    AlphaWeight,
    KMap,
    DeltaPresence,
}

impl Property {
    /// All of them, in the order in which reports list them.
    pub const ALL: [Property; 8] = [
        Property::KAnonymity,
        Property::PSensitivity,
        Property::LDiversity,
        Property::TCloseness,
        Property::PPlus,
        Property::AlphaWeight,
        Property::KMap,
        Property::DeltaPresence,
    ];

    /// Name, direction and the least requirement that makes sense.
    const fn entry(self) -> (&'static str, Bound, u32) {
        match self {
            Property::KAnonymity => ("k-anonymity", Bound::AtLeast, 1),
            Property::PSensitivity => ("p-sensitivity", Bound::AtLeast, 1),
            Property::LDiversity => ("l-diversity", Bound::AtLeast, 1),
            Property::TCloseness => ("t-closeness", Bound::AtMost, 0),
            Property::PPlus => ("p+-sensitivity", Bound::AtLeast, 1),
            Property::AlphaWeight => ("alpha-weight", Bound::AtLeast, 0),
            Property::KMap => ("k-map", Bound::AtLeast, 1),
            Property::DeltaPresence => ("delta-presence", Bound::AtMost, 0),
        }
    }

    /// The name as users see it.
    pub const fn name(self) -> &'static str {
        self.entry().0
    }

    /// Whether the figure must be at least or at most the requirement.
    pub const fn bound(self) -> Bound {
        self.entry().1
    }

    /// Whether a larger figure protects better.
    pub const fn larger_is_better(self) -> bool {
        matches!(self.bound(), Bound::AtLeast)
    }

    /// The least requirement that makes sense: 1 for k, p and l, 0 for t and alpha.
    pub fn least_requirement(self) -> f64 {
        f64::from(self.entry().2)
    }

    /// The kind of a model that measures this property.
    pub(crate) const fn kind(self, merging: Merging) -> ModelKind {
        let (name, bound, _) = self.entry();
        ModelKind {
            name,
            bound,
            merging,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::*;

    #[test]
    fn models_are_named_by_their_property() {
        let table = Distribution::from_counts(vec![1, 1]).unwrap();
        let categories = SensitivityCategories::new(vec![0, 1], 2).unwrap();
        let weight = AlphaWeight::new(&categories).unwrap();
        let (closeness, plus) = (EqualCloseness::new(&table), PPlus::new(&categories));
        let models: [&dyn PrivacyModel; 6] = [
            &KAnonymity,
            &PSensitivity,
            &LDiversity,
            &closeness,
            &plus,
            &weight,
        ];
        for (property, model) in Property::ALL.into_iter().zip(models) {
            assert_eq!(property.name(), model.name());
            assert_eq!(property.bound(), model.bound());
        }
    }

    #[test]
    fn closeness_and_presence_are_better_small() {
        let small = |property: &Property| !property.larger_is_better();
        let small: Vec<_> = Property::ALL.into_iter().filter(small).collect();
        assert_eq!(small, [Property::TCloseness, Property::DeltaPresence]);
        let least = Property::ALL.map(Property::least_requirement);
        assert_eq!(least, [1.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
    }
}
