//! The texts of labels: the role of a column (`key hierarchy=public.age_levels`) and the policy of
//! a table (`k=5 p=2 t=0.3 entity=patient_id`).

use crate::pg::quoting::identifier;

/// What a column is to an attacker, and to a release.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnRole {
    /// tells who a row is about; never published
    Identifier,
    /// others may know it
    Key,
    /// a key whose numbers are codes
    KeyCategorical,
    /// nobody must learn it about a person
    Sensitive,
    /// tells persons apart who have several rows; never published
    Entity,
    /// how many persons of the population a row stands for
    Weight,
    /// groups never cross it
    Strata,
    /// published as it is
    Keep,
}

/// Every role, and how labels write it.
pub const ROLES: [(ColumnRole, &str); 8] = [
    (ColumnRole::Identifier, "identifier"),
    (ColumnRole::Key, "key"),
    (ColumnRole::KeyCategorical, "key categorical"),
    (ColumnRole::Sensitive, "sensitive"),
    (ColumnRole::Entity, "entity"),
    (ColumnRole::Weight, "weight"),
    (ColumnRole::Strata, "strata"),
    (ColumnRole::Keep, "keep"),
];

impl ColumnRole {
    pub fn name(self) -> &'static str {
        let found = ROLES.iter().find(|(role, _)| *role == self);
        found.map_or("", |(_, name)| name)
    }

    pub fn is_key(self) -> bool {
        matches!(self, ColumnRole::Key | ColumnRole::KeyCategorical)
    }

    /// Whether a value tells one person from all others.
    pub fn identifies(self) -> bool {
        matches!(self, ColumnRole::Identifier | ColumnRole::Entity)
    }
}

/// The label of a column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ColumnLabel {
    pub role: ColumnRole,
    /// the table of a key's hierarchy, written as in SQL
    pub hierarchy: Option<String>,
}

/// Why a label is refused: what is wrong, and what to write.
pub struct LabelError {
    pub message: String,
    pub hint: String,
}

const HIERARCHY: &str = "hierarchy=";

impl ColumnLabel {
    pub fn new(role: ColumnRole) -> Self {
        ColumnLabel {
            role,
            hierarchy: None,
        }
    }

    pub fn parse(text: &str) -> Result<Self, LabelError> {
        let mut words = words(text);
        let is_hierarchy = |word: &&String| word.starts_with(HIERARCHY);
        let hierarchy = words.last().filter(is_hierarchy).cloned();
        if hierarchy.is_some() {
            words.pop();
        }
        let name = words.join(" ");
        let Some(&(role, _)) = ROLES.iter().find(|(_, role)| *role == name) else {
            return Err(unknown_role(text));
        };
        let hierarchy = hierarchy.map(|word| word[HIERARCHY.len()..].to_string());
        match hierarchy {
            Some(table) if !has_schema(&table) || !role.is_key() => Err(unknown_role(text)),
            hierarchy => Ok(ColumnLabel { role, hierarchy }),
        }
    }

    pub fn text(&self) -> String {
        match &self.hierarchy {
            Some(table) => format!("{} {HIERARCHY}{table}", self.role.name()),
            None => self.role.name().to_string(),
        }
    }
}

/// Whether a name has a schema: a label must mean the same under every search_path.
fn has_schema(table: &str) -> bool {
    let outside_quotes = table.split('"').step_by(2);
    table.len() > 2 && outside_quotes.into_iter().any(|part| part.contains('.'))
}

fn unknown_role(text: &str) -> LabelError {
    let names: Vec<String> = ROLES.iter().map(|(_, name)| format!("'{name}'")).collect();
    LabelError {
        message: format!("\"{text}\" is not a role of a column"),
        hint: format!(
            "Roles are {}; hierarchy=schema.table can follow 'key' or 'key categorical'.",
            names.join(", ")
        ),
    }
}

/// What every release of a table must promise at least.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Policy {
    pub k: Option<i32>,
    pub p: Option<i32>,
    pub l: Option<f64>,
    pub t: Option<f64>,
    /// the column that tells persons apart
    pub entity: Option<String>,
}

impl Policy {
    pub fn parse(text: &str) -> Result<Self, LabelError> {
        let mut policy = Policy::default();
        for word in words(text) {
            let Some((name, value)) = word.split_once('=') else {
                return Err(wrong_policy(format!(
                    "\"{word}\" is not a part of a policy"
                )));
            };
            if !policy.take(name, value)? {
                return Err(wrong_policy(format!("a policy names {name} twice")));
            }
        }
        if policy.demands_nothing() {
            return Err(wrong_policy(
                "a policy requires at least one of k, p, l, t".into(),
            ));
        }
        match (policy.k, policy.p) {
            (Some(k), Some(p)) if p > k => Err(wrong_policy(format!(
                "a policy with p = {p} above k = {k} cannot be met"
            ))),
            _ => Ok(policy),
        }
    }

    /// Takes one item of a policy; false where it is there already.
    fn take(&mut self, name: &str, value: &str) -> Result<bool, LabelError> {
        Ok(match name {
            "k" => fresh(&mut self.k, number(name, value, 2, i32::MAX)?),
            "p" => fresh(&mut self.p, number(name, value, 2, i32::MAX)?),
            "l" => fresh(&mut self.l, number(name, value, 1.0, f64::MAX)?),
            "t" => fresh(&mut self.t, number(name, value, 0.0, 1.0)?),
            "entity" => fresh(&mut self.entity, unquoted(value)),
            _ => {
                let message = format!("a policy has no \"{name}\"");
                return Err(wrong_policy(message));
            }
        })
    }

    fn demands_nothing(&self) -> bool {
        self.k.is_none() && self.p.is_none() && self.l.is_none() && self.t.is_none()
    }

    /// Whether it demands something of sensitive columns.
    pub fn is_about_values(&self) -> bool {
        self.p.is_some() || self.l.is_some() || self.t.is_some()
    }

    /// What is demanded by any of two policies; entities are told apart by their tables.
    pub fn and(&self, other: &Policy) -> Policy {
        let most = |a: Option<f64>, b: Option<f64>| [a, b].into_iter().flatten().reduce(f64::max);
        let least = |a: Option<f64>, b: Option<f64>| [a, b].into_iter().flatten().reduce(f64::min);
        Policy {
            k: self.k.max(other.k),
            p: self.p.max(other.p),
            l: most(self.l, other.l),
            t: least(self.t, other.t),
            entity: None,
        }
    }
}

/// Sets what is not set yet.
fn fresh<T>(place: &mut Option<T>, value: T) -> bool {
    let free = place.is_none();
    *place = Some(value);
    free
}

fn number<T>(name: &str, value: &str, least: T, most: T) -> Result<T, LabelError>
where
    T: std::str::FromStr + PartialOrd + std::fmt::Display,
{
    match value.parse::<T>() {
        Ok(number) if number >= least && number <= most => Ok(number),
        _ => {
            let wrong = wrong_policy(match name {
                "t" => "t of a policy must be a number from 0 to 1".into(),
                "l" => format!("l of a policy must be a number of at least {least}"),
                _ => format!("{name} of a policy must be a whole number of at least {least}"),
            });
            Err(match value.contains(',') {
                true => LabelError {
                    hint: format!("Separate the parts by spaces, not commas: {POLICY}."),
                    ..wrong
                },
                false => wrong,
            })
        }
    }
}

const POLICY: &str = "'k=5 p=2 l=2.5 t=0.3 entity=patient_id'";

fn wrong_policy(message: String) -> LabelError {
    LabelError {
        message,
        hint: format!("For example {POLICY}."),
    }
}

/// A text cut at its spaces, except for those between double quotes.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for letter in text.chars() {
        quoted ^= letter == '"';
        match words.last_mut() {
            Some(word) if quoted || !letter.is_whitespace() => word.push(letter),
            _ => words.push(String::new()),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// A name as SQL writes it: folded to lower case unless it is quoted.
fn unquoted(name: &str) -> String {
    match name
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
    {
        Some(inner) => inner.replace("\"\"", "\""),
        None => name.to_lowercase(),
    }
}

/// The policy's item that names the column of persons.
pub fn entity_item(column: &str) -> String {
    format!("entity={}", identifier(column))
}
