//! A method at work: on all rows, or on those that lack the same values one after the other.

use super::conditions::{ConditionCheck, GroupConditions, join_unmet};
use super::null_groups::{Parts, Variety, by_pattern};
use super::p_sensitive::{self, p_sensitive};
use super::refine::{self, Limits};
use super::t_first::t_first;
use super::{Method, blocks, mdav, require_memory_of_mdav, univariate, v_mdav};
use crate::lattice::Condition;
use crate::measure::within;
use crate::model::PSensitivity;
use crate::random::Generator;
use crate::run::allocation::collected;
use crate::{Error, Monitor, Partition, Result, Space};

/// Rows to group, and what every group must keep.
#[derive(Clone, Copy)]
pub(super) struct RowsToGroup<'a> {
    pub space: &'a Space,
    pub limits: Limits<'a>,
    pub conditions: GroupConditions<'a>,
}

/// A method at work on a space.
pub(super) struct MethodRun<'a> {
    pub method: Method,
    pub all: RowsToGroup<'a>,
    pub effort: &'a dyn Fn(usize) -> Option<u32>,
    pub rng: &'a mut Generator,
}

impl MethodRun<'_> {
    /// Rows that lack the same values are grouped among themselves wherever they can be.
    pub fn group(mut self, monitor: &mut dyn Monitor) -> Result<Partition> {
        let (space, limits) = (self.all.space, self.all.limits);
        p_sensitive::require(space.rows(), limits.sensitive, limits.k, limits.p)?;
        self.all.conditions.require(space.rows())?;
        match space.patterns() {
            None => self.group_all(self.all, monitor),
            Some(patterns) => {
                self.method.refuse_columns(space)?;
                let mut parts = MethodParts {
                    variety: Variety::new(limits.sensitive)?,
                    check: ConditionCheck::new(&self.all.conditions)?,
                    run: self,
                };
                by_pattern(patterns, &mut parts, monitor)
            }
        }
    }

    fn group_all(&mut self, rows: RowsToGroup<'_>, monitor: &mut dyn Monitor) -> Result<Partition> {
        let partition = match self.method {
            Method::Symmetric => self.symmetric(rows, monitor)?,
            Method::LeastLoss if !rows.conditions.is_empty() => self.least_loss(rows, monitor)?,
            method => self.joined(method, rows, monitor)?,
        };
        rows.conditions.check(&partition)?;
        Ok(partition)
    }

    /// Groups of one method, refined and then joined until they meet the conditions.
    fn joined(
        &mut self,
        method: Method,
        rows: RowsToGroup<'_>,
        monitor: &mut dyn Monitor,
    ) -> Result<Partition> {
        let (space, limits) = (rows.space, rows.limits);
        let Limits { k, p, sensitive } = limits;
        let effort = (self.effort)(space.rows());
        let partition = match method {
            Method::Mdav => {
                require_memory_of_mdav(space)?;
                mdav(space, k, monitor)?
            }
            Method::Blocks => blocks(space, k, effort.unwrap_or(0), self.rng, monitor)?,
            Method::VMdav => v_mdav(space, k, None, monitor)?,
            Method::Univariate => match only_column(space) {
                Ok(column) => univariate(column, k, monitor)?,
                // rows of a pattern may lack the one key, or differ in nothing
                Err(_) if self.all.space.patterns().is_some() => mdav(space, k, monitor)?,
                Err(refused) => return Err(refused),
            },
            Method::TFirst => self.t_first(rows, monitor)?,
            method => p_sensitive(space, sensitive, k, p, method, self.rng, monitor)?,
        };
        let limits = Limits {
            p: p.max(1),
            ..limits
        };
        let partition = match effort {
            // blocks have a local search of their own
            Some(effort) if method != Method::Blocks => {
                refine::refine(space, limits, partition, effort, self.rng, monitor)?
            }
            _ => partition,
        };
        join_unmet(space, partition, &rows.conditions, monitor)
    }

    /// Whichever loses least once its groups meet the conditions: what loses least before that
    /// need not.
    fn least_loss(
        &mut self,
        rows: RowsToGroup<'_>,
        monitor: &mut dyn Monitor,
    ) -> Result<Partition> {
        let mut best = self.joined(Method::TFirst, rows, monitor)?;
        let mut least = within(rows.space, &best)?;
        for method in [Method::PFirstLean, Method::RandomRowsLean, Method::Merge] {
            let partition = self.joined(method, rows, monitor)?;
            let cost = within(rows.space, &partition)?;
            if cost < least {
                (best, least) = (partition, cost);
            }
        }
        Ok(best)
    }

    /// Slices may lack values for p, so p is a condition like others here.
    fn t_first(&mut self, rows: RowsToGroup<'_>, monitor: &mut dyn Monitor) -> Result<Partition> {
        let (limits, conditions) = (rows.limits, rows.conditions);
        let columns = 0..limits.sensitive.len();
        let varied = columns.map(|column| Condition {
            model: &PSensitivity,
            column: Some(column),
            required: limits.p as f64,
        });
        let on_persons = conditions.on_persons.iter().copied();
        let on_persons: Vec<Condition<'_>> = varied.chain(on_persons).collect();
        let mut conditions = GroupConditions {
            on_persons: &on_persons,
            ..conditions
        };
        if conditions.sensitive.is_empty() {
            // nothing but p is asked: points are what the limits are about
            conditions = GroupConditions {
                on_persons: &on_persons,
                sensitive: limits.sensitive,
                ..GroupConditions::default()
            };
        }
        t_first(rows.space, limits.k, &conditions, monitor)
    }

    /// A search that heeds values shows by what it leaves undone where they are, so for groups
    /// that tell nothing it comes first, over keys alone.
    fn symmetric(&mut self, rows: RowsToGroup<'_>, monitor: &mut dyn Monitor) -> Result<Partition> {
        let space = rows.space;
        let Limits { k, p, sensitive } = rows.limits;
        let effort = (self.effort)(space.rows());
        let mut base = |k, monitor: &mut dyn Monitor| {
            let by_keys = Limits {
                k,
                p: 1,
                sensitive: &[],
            };
            let plain = mdav(space, k, monitor)?;
            match effort {
                Some(effort) => refine::refine(space, by_keys, plain, effort, self.rng, monitor),
                None => Ok(plain),
            }
        };
        let asked = (k, p, rows.conditions);
        p_sensitive::symmetric_from(space, sensitive, asked, &mut base, monitor)
    }
}

/// A method tried on the rows of single patterns.
struct MethodParts<'a> {
    run: MethodRun<'a>,
    variety: Variety<'a>,
    check: ConditionCheck<'a>,
}

impl Parts for MethodParts<'_> {
    fn can_group(&mut self, rows: &[u32]) -> Result<bool> {
        let Limits { k, p, .. } = self.run.all.limits;
        let varied = rows.len() >= k && self.variety.reaches(p, rows);
        Ok(varied && self.check.holds(rows.iter().copied())?)
    }

    fn group(&mut self, rows: &[u32], monitor: &mut dyn Monitor) -> Result<Partition> {
        let all = self.run.all;
        let space = all.space.select(rows)?;
        let columns = all.limits.sensitive.iter();
        let sensitive = columns.map(|column| column.select(rows));
        let limits = Limits {
            sensitive: &sensitive.collect::<Result<Vec<_>>>()?,
            ..all.limits
        };
        let point = |&row: &u32| {
            all.conditions
                .points
                .map_or(row, |points| points[row as usize])
        };
        let points = collected(rows.iter().map(point))?;
        let conditions = GroupConditions {
            points: Some(&points),
            ..all.conditions
        };
        let rows = RowsToGroup {
            space: &space,
            limits,
            conditions,
        };
        self.run.group_all(rows, monitor)
    }

    fn space(&self) -> Option<&Space> {
        let all = self.run.all;
        all.conditions.is_empty().then_some(all.space)
    }
}

fn only_column(space: &Space) -> Result<&[f64]> {
    match (space.numeric(), space.categorical()) {
        ([column], []) => Ok(column),
        (numeric, categorical) => Err(Error::NotUnivariate {
            numeric: numeric.len(),
            categorical: categorical.len(),
        }),
    }
}
