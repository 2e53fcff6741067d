//! The methods of microaggregation under the names users give them, and how one is run.

use super::conditions::GroupConditions;
use super::method_run::{MethodRun, RowsToGroup};
use super::refine::Limits;
use crate::random::{self, Generator};
use crate::{Categories, Error, Monitor, Partition, Result, Space};

/// A way to form groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// groups of k around the rows farthest from the centroid (DFS07, section 3)
    Mdav,
    /// MDAV within blocks, then a local search across their borders
    Blocks,
    /// groups of k to 2k − 1 rows
    VMdav,
    /// one numeric key: the least loss there can be
    Univariate,
    /// MDAV with growing groups until all have p values (DFS07, Algorithm 1)
    KFirst,
    /// around the row farthest from the centroid (DFS07, Algorithm 2, to the letter): a row
    /// contributes if any of its values is new, and left-over rows do not move centroids
    PFirst,
    /// the same with less loss: a row contributes only to columns that still lack values, and
    /// a centroid follows the left-over rows that join its group
    PFirstLean,
    /// like `PFirst` around the row nearest to a random vector (SSD08, Algorithm 3)
    RandomSeeds,
    /// like `PFirst` around a random row; the figures of SSD08 fit this one
    RandomRows,
    /// like `PFirstLean` around a random row: loses least where values are scarce
    RandomRowsLean,
    /// MDAV, then groups that lack values are merged with neighbours: loses least where
    /// values follow the keys
    Merge,
    /// whichever of `PFirstLean`, `RandomRowsLean` and `Merge` loses least, and with conditions
    /// on groups `TFirst`; all are tried
    LeastLoss,
    /// MDAV, then groups are joined so that who joins whom tells nothing about values
    Symmetric,
    /// groups take a row of each slice of the sensitive values' range: loses least where groups
    /// must be close to the table
    TFirst,
}

const TABLE: [(&str, Method); 14] = [
    ("mdav", Method::Mdav),
    ("blocks", Method::Blocks),
    ("v_mdav", Method::VMdav),
    ("univariate", Method::Univariate),
    ("k_first", Method::KFirst),
    ("p_first", Method::PFirst),
    ("p_first_lean", Method::PFirstLean),
    ("random_seeds", Method::RandomSeeds),
    ("random_rows", Method::RandomRows),
    ("random_rows_lean", Method::RandomRowsLean),
    ("merge", Method::Merge),
    ("least_loss", Method::LeastLoss),
    ("symmetric", Method::Symmetric),
    ("t_first", Method::TFirst),
];

const P_SENSITIVE: [Method; 9] = [
    Method::KFirst,
    Method::PFirst,
    Method::PFirstLean,
    Method::RandomSeeds,
    Method::RandomRows,
    Method::RandomRowsLean,
    Method::Merge,
    Method::LeastLoss,
    Method::Symmetric,
];

const fn names() -> [&'static str; TABLE.len()] {
    let mut names = [""; TABLE.len()];
    let mut place = 0;
    while place < names.len() {
        names[place] = TABLE[place].0;
        place += 1;
    }
    names
}

impl Method {
    /// All names, in the order in which they are listed to users.
    pub const NAMES: [&'static str; 14] = names();

    /// The methods that give every group p values of each sensitive column.
    pub const P_SENSITIVE: [Method; 9] = P_SENSITIVE;

    /// The method of this name.
    pub fn named(name: &str) -> Option<Self> {
        let found = TABLE.iter().find(|(known, _)| *known == name);
        found.map(|&(_, method)| method)
    }

    /// The name under which users know the method.
    pub fn name(self) -> &'static str {
        let found = TABLE.iter().find(|(_, method)| *method == self);
        found.map_or("", |(name, _)| name)
    }

    /// The method for a call that names none: the one that loses least, and for p > 1 the one
    /// whose groups tell nothing beside their values.
    pub fn usual(space: &Space, p: usize) -> Self {
        let numbers = space.numeric().len() - space.gaps().len();
        let one_number = numbers == 1 && space.categorical().is_empty();
        match p {
            0 | 1 if one_number => Method::Univariate,
            0 | 1 => Method::Mdav,
            _ => Method::Symmetric,
        }
    }

    /// Whether the method looks at sensitive columns.
    pub fn is_p_sensitive(self) -> bool {
        P_SENSITIVE.contains(&self) || self == Method::TFirst
    }

    pub(super) fn is_lean(self) -> bool {
        matches!(self, Method::PFirstLean | Method::RandomRowsLean)
    }

    /// Whether the method may draw random numbers.
    pub fn draws(self) -> bool {
        use Method::{Blocks, KFirst, Mdav, Merge, PFirst, PFirstLean, TFirst, Univariate, VMdav};
        !matches!(
            self,
            Mdav | Blocks | VMdav | Univariate | KFirst | PFirst | PFirstLean | Merge | TFirst
        )
    }

    /// What the method draws from: a seed, or the operating system. `LeastLoss` too draws again:
    /// anyone who could repeat its draws could try which values lead to the groups of a release.
    pub fn generator(self, seed: Option<u64>) -> Result<Generator> {
        random::generator(seed)
    }

    /// Cuts rows into groups of at least k rows and p values of every sensitive column. What
    /// is left of `rng` serves a refinement that follows.
    pub fn group(
        self,
        space: &Space,
        sensitive: &[Categories],
        k: usize,
        p: usize,
        rng: &mut Generator,
        monitor: &mut dyn Monitor,
    ) -> Result<Partition> {
        let limits = Limits { k, p, sensitive };
        self.group_refined(space, limits, |_| None, rng, monitor)
    }

    /// The same, and refined by the effort that `effort` names for a number of rows. Rows that
    /// lack the same values are grouped among themselves wherever the limits allow it.
    pub fn group_refined(
        self,
        space: &Space,
        limits: Limits<'_>,
        effort: impl Fn(usize) -> Option<u32>,
        rng: &mut Generator,
        monitor: &mut dyn Monitor,
    ) -> Result<Partition> {
        let conditions = GroupConditions::default();
        self.group_meeting(space, limits, conditions, effort, rng, monitor)
    }

    /// The same, and every group meets some conditions as well. [`Method::Symmetric`] joins groups
    /// by keys until they do; after all others, groups that do not are joined with neighbours. A
    /// refinement comes before that.
    pub fn group_meeting(
        self,
        space: &Space,
        limits: Limits<'_>,
        conditions: GroupConditions<'_>,
        effort: impl Fn(usize) -> Option<u32>,
        rng: &mut Generator,
        monitor: &mut dyn Monitor,
    ) -> Result<Partition> {
        if (limits.p > 1 || !conditions.is_empty()) && !self.is_p_sensitive() {
            let method = self.name();
            return Err(Error::IgnoresSensitive { method });
        }
        let run = MethodRun {
            method: self,
            all: RowsToGroup {
                space,
                limits,
                conditions,
            },
            effort: &effort,
            rng,
        };
        run.group(monitor)
    }

    /// Whether the method works for these keys at all: what it needs of all rows it may
    /// lack among those of one pattern.
    pub(super) fn refuse_columns(self, space: &Space) -> Result<()> {
        let numeric = space.numeric().len() - space.gaps().len();
        let categorical = space.categorical().len();
        match self {
            Method::Univariate if numeric != 1 || categorical > 0 => Err(Error::NotUnivariate {
                numeric,
                categorical,
            }),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assign::{mdav, p_sensitive};
    use crate::{Column, Table, Unwatched};

    fn space(columns: usize) -> Space {
        let column = |scale: usize| (0..12).map(|row| (row * scale % 7) as f64).collect();
        let columns = (1..=columns).map(|scale| Column::Numeric(column(scale)));
        Space::new(&Table::new(columns.collect()).unwrap(), true).unwrap()
    }

    fn values() -> Vec<Categories> {
        vec![Categories::new((0..12).map(|row| row % 3).collect())]
    }

    #[test]
    fn names_lead_to_methods_and_back() {
        for name in Method::NAMES {
            assert_eq!(Method::named(name).map(Method::name), Some(name));
        }
        assert_eq!(Method::named("MDAV"), None);
    }

    #[test]
    fn a_method_gives_the_groups_of_its_function() {
        let (space, values) = (space(2), values());
        for method in Method::P_SENSITIVE {
            let rng = || method.generator(Some(3)).unwrap();
            let by_name = method.group(&space, &values, 3, 2, &mut rng(), &mut Unwatched);
            let direct = p_sensitive(&space, &values, 3, 2, method, &mut rng(), &mut Unwatched);
            assert_eq!(by_name, direct);
        }
        let mut rng = Method::Mdav.generator(Some(3)).unwrap();
        let by_name = Method::Mdav.group(&space, &values, 3, 1, &mut rng, &mut Unwatched);
        assert_eq!(by_name, mdav(&space, 3, &mut Unwatched));
    }

    #[test]
    fn what_a_method_cannot_do_is_refused() {
        let mut rng = random::generator(Some(0)).unwrap();
        let mut group = |method: Method, columns, p| {
            let sensitive = values();
            method.group(&space(columns), &sensitive, 3, p, &mut rng, &mut Unwatched)
        };
        let (numeric, categorical) = (2, 0);
        let columns = Error::NotUnivariate {
            numeric,
            categorical,
        };
        assert_eq!(group(Method::Univariate, 2, 1), Err(columns));
        assert!(group(Method::Univariate, 1, 1).is_ok());
        let method = "v_mdav";
        let ignores = Error::IgnoresSensitive { method };
        assert_eq!(group(Method::VMdav, 2, 2), Err(ignores));
    }

    #[test]
    fn only_a_seed_repeats_what_was_drawn() {
        for method in [Method::LeastLoss, Method::RandomRows] {
            let draw = |seed| random::number(&mut method.generator(seed).unwrap());
            assert_ne!(draw(None), draw(None));
            assert_eq!(draw(Some(0)), draw(Some(0)));
        }
    }

    #[test]
    fn the_usual_method_follows_the_keys_and_p() {
        assert_eq!(Method::usual(&space(1), 1), Method::Univariate);
        assert_eq!(Method::usual(&space(2), 1), Method::Mdav);
        assert_eq!(Method::usual(&space(1), 2), Method::Symmetric);
    }
}
