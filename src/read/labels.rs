//! The labels that count for a relation: its own, those of the tables behind a view, those of the
//! tables it inherits from, and of those that inherit from it.

use crate::pg::errors::Failure;
use crate::pg::label_provider::PROVIDER;
use crate::pg::quoting::literal;
use crate::pg::statements;
use crate::pg::view_columns::{MIXED, shown_columns};
use crate::read::child_labels::ChildLabels;
use crate::read::label_text::{ColumnLabel, ColumnRole, LabelError, Policy};
use pgrx::pg_sys::Oid;
use pgrx::prelude::*;
use std::collections::{HashMap, HashSet};

/// A column of a relation, the relation written as in SQL. The column of no relation stands among
/// the origins of one that is mixed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ColumnName {
    pub(super) relation: Oid,
    pub(super) owner: Oid,
    pub sql_relation: String,
    pub name: String,
}

/// A column and the labels that reach it, its own first.
pub struct LabelledColumn {
    pub name: String,
    /// the columns that it shows, itself first
    origins: Vec<ColumnName>,
    labels: Vec<(ColumnLabel, ColumnName)>,
}

/// The policy of a table.
pub struct TablePolicy {
    relation: Oid,
    owner: Oid,
    pub sql_relation: String,
    pub policy: Policy,
}

/// What is known of a relation.
#[derive(Default)]
pub struct Labels {
    columns: Vec<LabelledColumn>,
    pub policies: Vec<TablePolicy>,
}

impl Labels {
    pub fn of(relation: Oid) -> Self {
        if !any() {
            return Labels::default();
        }
        let mut trace = Trace::default();
        let columns = trace.columns(relation);
        let known = own_labels(trace.known.keys().copied());
        let below = ChildLabels::below(trace.known.keys().copied());
        let labelled = |(name, origins): (String, Vec<ColumnName>)| {
            let label = |origin: &ColumnName| {
                let found = known.get(&(origin.relation, origin.name.clone()));
                found.map(|label| (label.clone(), origin.clone()))
            };
            let below = origins.iter().flat_map(|origin| below.of(origin));
            LabelledColumn {
                name,
                labels: origins
                    .iter()
                    .filter_map(label)
                    .chain(below.cloned())
                    .collect(),
                origins,
            }
        };
        Labels {
            columns: columns.into_iter().map(labelled).collect(),
            policies: policies(relation),
        }
    }

    /// The columns with a label of these roles, in the order of the relation.
    pub fn with_role(&self, fits: impl Fn(ColumnRole) -> bool) -> Vec<String> {
        let labelled = self.columns.iter();
        labelled
            .filter(|column| column.role().is_some_and(&fits))
            .map(|column| column.name.clone())
            .collect()
    }

    /// The label of a column.
    pub fn column(&self, name: &str) -> Option<&LabelledColumn> {
        self.columns.iter().find(|column| column.name == name)
    }

    pub fn role(&self, name: &str) -> Option<ColumnRole> {
        self.column(name).and_then(LabelledColumn::role)
    }

    /// Whether anybody calls a column sensitive: a view's owner cannot take that back.
    pub fn is_sensitive(&self, name: &str) -> bool {
        let mut labels = self
            .column(name)
            .into_iter()
            .flat_map(|column| &column.labels);
        labels.any(|(label, _)| label.role == ColumnRole::Sensitive)
    }

    pub fn any_sensitive(&self) -> bool {
        let mut names = self.columns.iter().map(|column| &column.name);
        names.any(|name| self.is_sensitive(name))
    }

    /// Whether a column of a release may be left out where policies count groups: each policy's
    /// owner keeps it, or calls it sensitive. Where an owner calls nothing sensitive, the call may,
    /// of columns that have no other role. The owner of a view may be another than the one of the
    /// table behind it, so each policy goes by its own owner's labels.
    pub fn is_exempt(&self, name: &str, named_sensitive: bool) -> bool {
        if self.is_mixed(name) {
            return false;
        }
        let mut owners = self.policies.iter().map(|table| table.owner);
        owners.all(|owner| match self.role_by(owner, name) {
            Some(ColumnRole::Keep) => true,
            Some(ColumnRole::Sensitive) => named_sensitive,
            Some(_) => false,
            None => named_sensitive && !self.any_sensitive_by(owner),
        })
    }

    /// Whether only some rows of a column show what its labels are about, as in a union.
    pub fn is_mixed(&self, name: &str) -> bool {
        self.column(name).is_some_and(LabelledColumn::is_mixed)
    }

    /// Whether a column does not show a column of a table with a policy as it is.
    pub fn is_computed(&self, name: &str) -> bool {
        let of_policy =
            |origin: &ColumnName| self.policies.iter().any(|t| t.relation == origin.relation);
        let shows = |column: &LabelledColumn| column.origins.iter().any(of_policy);
        self.is_mixed(name) || !self.column(name).is_some_and(shows)
    }

    /// The role of a column by the nearest label of this owner.
    fn role_by(&self, owner: Oid, name: &str) -> Option<ColumnRole> {
        let mut labels = self
            .column(name)
            .into_iter()
            .flat_map(|column| &column.labels);
        let nearest = labels.find(|(_, origin)| origin.owner == owner);
        nearest.map(|(label, _)| label.role)
    }

    fn any_sensitive_by(&self, owner: Oid) -> bool {
        let mut names = self.columns.iter().map(|column| &column.name);
        names.any(|name| self.role_by(owner, name) == Some(ColumnRole::Sensitive))
    }

    /// What all policies together demand.
    pub fn policy(&self) -> Policy {
        let policies = self.policies.iter().map(|table| &table.policy);
        policies.fold(Policy::default(), |all, policy| all.and(policy))
    }

    /// For each policy that counts persons, the column of this relation that tells them apart;
    /// `None` where the relation does not show it.
    pub fn policy_entities(&self) -> Vec<(&TablePolicy, Option<String>)> {
        let entity = |table: &'_ TablePolicy| {
            let entity = table.policy.entity.as_ref()?;
            let shows = |column: &&LabelledColumn| {
                let mut origins = column.origins.iter();
                !column.is_mixed()
                    && origins.any(|o| o.relation == table.relation && o.name == *entity)
            };
            let column = self.columns.iter().find(shows);
            Some(column.map(|column| column.name.clone()))
        };
        let policies = self.policies.iter();
        policies
            .filter_map(|table| Some((table, entity(table)?)))
            .collect()
    }
}

impl LabelledColumn {
    /// The role of the nearest label; but nothing hides that a column tells persons apart.
    pub fn role(&self) -> Option<ColumnRole> {
        let label = self.identifying().or_else(|| self.labels.first());
        label.map(|(label, _)| label.role)
    }

    fn is_mixed(&self) -> bool {
        let mut origins = self.origins.iter();
        origins.any(|origin| origin.relation == pg_sys::InvalidOid)
    }

    pub fn hierarchy(&self) -> Option<&str> {
        let mut labels = self.labels.iter();
        labels.find_map(|(label, _)| label.hierarchy.as_deref())
    }

    /// The label that says that the column tells persons apart, and where it is.
    pub fn identifying(&self) -> Option<&(ColumnLabel, ColumnName)> {
        let mut labels = self.labels.iter();
        labels.find(|(label, _)| label.role.identifies())
    }
}

/// Most databases have no labels at all.
fn any() -> bool {
    let found = statements::value::<bool>(&format!(
        "SELECT EXISTS (SELECT FROM pg_catalog.pg_seclabel s WHERE s.provider OPERATOR(pg_catalog.=) {})",
        literal(PROVIDER)
    ));
    found == Some(true)
}

/// Follows columns to where they come from.
#[derive(Default)]
struct Trace {
    known: HashMap<Oid, Vec<(String, Vec<ColumnName>)>>,
}

impl Trace {
    /// Every column of a relation with the columns that it shows, itself first.
    fn columns(&mut self, relation: Oid) -> Vec<(String, Vec<ColumnName>)> {
        if let Some(known) = self.known.get(&relation) {
            return known.clone();
        }
        let mut columns = live_columns(relation);
        let shown = shown_columns(relation);
        for (number, _, origins) in &mut columns {
            let shown = shown.get((*number as usize).wrapping_sub(1));
            for &(base, base_number) in shown.into_iter().flatten() {
                match base == MIXED.0 {
                    true => origins.push(ColumnName::default()),
                    false => origins.extend(self.origins(base, base_number)),
                }
            }
        }
        for parent in parents(relation) {
            let inherited = self.columns(parent);
            for (_, name, origins) in &mut columns {
                let same = inherited.iter().find(|(other, _)| other == name);
                origins.extend(same.map(|(_, origins)| origins.clone()).unwrap_or_default());
            }
        }
        for (_, _, origins) in &mut columns {
            // one may come several ways, and each view above could double them
            let mut seen = HashSet::new();
            origins.retain(|origin| seen.insert((origin.relation, origin.name.clone())));
        }
        let columns: Vec<_> = columns.into_iter().map(|(_, n, o)| (n, o)).collect();
        self.known.insert(relation, columns.clone());
        columns
    }

    fn origins(&mut self, relation: Oid, number: i16) -> Vec<ColumnName> {
        let names = live_columns(relation);
        let Some((_, name, _)) = names.into_iter().find(|column| column.0 == number) else {
            return Vec::new();
        };
        let columns = self.columns(relation);
        let found = columns.into_iter().find(|(other, _)| *other == name);
        found.map(|(_, origins)| origins).unwrap_or_default()
    }
}

/// Number, name and itself of each column of a relation.
fn live_columns(relation: Oid) -> Vec<(i16, String, Vec<ColumnName>)> {
    let sql = format!(
        "SELECT a.attnum, a.attname::pg_catalog.text, pg_catalog.format('%I.%I', n.nspname, c.relname), c.relowner \
         FROM pg_catalog.pg_attribute a \
         JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) a.attrelid \
         JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace \
         WHERE a.attrelid OPERATOR(pg_catalog.=) {}::pg_catalog.oid \
           AND a.attnum OPERATOR(pg_catalog.>) 0::pg_catalog.int2 AND NOT a.attisdropped \
         ORDER BY a.attnum",
        u32::from(relation)
    );
    let column = |row: &statements::Row| {
        let (number, name, sql_relation) = (row.get(1)?, row.get::<String>(2)?, row.get(3)?);
        let itself = ColumnName {
            relation,
            owner: row.get(4)?,
            sql_relation,
            name: name.clone(),
        };
        Some((number, name, vec![itself]))
    };
    let found = statements::select(&sql, column);
    found.into_iter().flatten().collect()
}

fn parents(relation: Oid) -> Vec<Oid> {
    let sql = format!(
        "SELECT i.inhparent FROM pg_catalog.pg_inherits i \
         WHERE i.inhrelid OPERATOR(pg_catalog.=) {}::pg_catalog.oid ORDER BY i.inhseqno",
        u32::from(relation)
    );
    let parents = statements::select(&sql, |row| row.get::<Oid>(1));
    parents.into_iter().flatten().collect()
}

/// The labels that columns of these relations carry themselves.
pub fn own_labels(relations: impl Iterator<Item = Oid>) -> HashMap<(Oid, String), ColumnLabel> {
    let relations: Vec<String> = relations.map(|oid| u32::from(oid).to_string()).collect();
    let sql = format!(
        "SELECT s.objoid, a.attname::pg_catalog.text, s.label FROM pg_catalog.pg_seclabel s \
         JOIN pg_catalog.pg_attribute a ON a.attrelid OPERATOR(pg_catalog.=) s.objoid \
           AND a.attnum::pg_catalog.int4 OPERATOR(pg_catalog.=) s.objsubid \
         WHERE s.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass \
           AND s.provider OPERATOR(pg_catalog.=) {} AND s.objsubid OPERATOR(pg_catalog.>) 0 \
           AND NOT a.attisdropped \
           AND s.objoid OPERATOR(pg_catalog.=) ANY ('{{{}}}'::pg_catalog.oid[])",
        literal(PROVIDER),
        relations.join(",")
    );
    let label = |row: &statements::Row| {
        let (relation, name) = (row.get::<Oid>(1)?, row.get::<String>(2)?);
        let label = understood(ColumnLabel::parse(&row.get::<String>(3)?));
        Some(((relation, name), label))
    };
    statements::select(&sql, label)
        .into_iter()
        .flatten()
        .collect()
}

/// The policies of every table whose rows a relation shows: its own, those of the tables behind
/// a view, of their parents and of their partitions.
fn policies(relation: Oid) -> Vec<TablePolicy> {
    let sql = format!(
        "WITH RECURSIVE seen(oid) AS ( \
             SELECT {relation}::pg_catalog.oid \
             UNION SELECT d.refobjid FROM seen s \
             JOIN pg_catalog.pg_rewrite r ON r.ev_class OPERATOR(pg_catalog.=) s.oid AND r.ev_type OPERATOR(pg_catalog.=) '1' \
             JOIN pg_catalog.pg_depend d ON d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::pg_catalog.regclass \
               AND d.objid OPERATOR(pg_catalog.=) r.oid \
               AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass), \
         above(oid) AS ( \
             SELECT s.oid FROM seen s \
             UNION SELECT i.inhparent FROM above a JOIN pg_catalog.pg_inherits i ON i.inhrelid OPERATOR(pg_catalog.=) a.oid), \
         below(oid) AS ( \
             SELECT s.oid FROM seen s \
             UNION SELECT i.inhrelid FROM below b JOIN pg_catalog.pg_inherits i ON i.inhparent OPERATOR(pg_catalog.=) b.oid) \
         SELECT s.objoid, pg_catalog.format('%I.%I', n.nspname, c.relname), s.label, c.relowner \
         FROM pg_catalog.pg_seclabel s \
         JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) s.objoid \
         JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace \
         WHERE s.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass \
           AND s.provider OPERATOR(pg_catalog.=) {provider} AND s.objsubid OPERATOR(pg_catalog.=) 0 \
           AND s.objoid OPERATOR(pg_catalog.=) ANY (ARRAY(SELECT a.oid FROM above a UNION SELECT b.oid FROM below b)) \
         ORDER BY n.nspname, c.relname",
        relation = u32::from(relation),
        provider = literal(PROVIDER)
    );
    let policy = |row: &statements::Row| {
        Some(TablePolicy {
            relation: row.get(1)?,
            sql_relation: row.get(2)?,
            policy: understood(Policy::parse(&row.get::<String>(3)?)),
            owner: row.get(4)?,
        })
    };
    statements::select(&sql, policy)
        .into_iter()
        .flatten()
        .collect()
}

/// What a label says. One that nobody understands protects nothing, so nothing goes on.
pub fn understood<T>(parsed: Result<T, LabelError>) -> T {
    parsed.unwrap_or_else(|error| {
        Failure::new(
            PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
            error.message,
        )
        .hint(error.hint)
        .raise()
    })
}
