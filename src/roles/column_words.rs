//! What the name of a column says about it. Words of English, as databases abbreviate them.

use crate::read::label_text::ColumnRole;

/// Words that speak for a role, and what they speak of.
struct Words {
    role: ColumnRole,
    about: &'static str,
    words: &'static [&'static str],
}

/// The first list that a name has a word of decides.
const LISTS: [Words; 9] = [
    Words {
        role: ColumnRole::Weight,
        about: "a sampling weight",
        words: &[
            "fnlwgt",
            "wgt",
            "wt",
            "pweight",
            "perwt",
            "hhwt",
            "sampleweight",
            "surveyweight",
        ],
    },
    Words {
        role: ColumnRole::Identifier,
        about: "a way to reach a person",
        words: &[
            "email",
            "mail",
            "phone",
            "telephone",
            "mobile",
            "fax",
            "address",
            "street",
            "url",
            "ip",
            "username",
            "login",
            "account",
            "iban",
        ],
    },
    Words {
        role: ColumnRole::Identifier,
        about: "a number that authorities give to a person",
        words: &[
            "ssn",
            "nhs",
            "mrn",
            "passport",
            "licence",
            "license",
            "insurance",
            "tin",
            "npi",
            "plate",
        ],
    },
    Words {
        role: ColumnRole::Sensitive,
        about: "health",
        words: &[
            "illness",
            "disease",
            "diagnosis",
            "diagnoses",
            "diag",
            "dx",
            "icd",
            "condition",
            "symptom",
            "treatment",
            "therapy",
            "drug",
            "medication",
            "hiv",
            "disability",
            "cause",
            "allergy",
            "result",
        ],
    },
    Words {
        role: ColumnRole::Sensitive,
        about: "money",
        words: &[
            "salary", "income", "wage", "wages", "earnings", "pay", "debt", "loan", "balance",
            "cost", "costs", "credit", "tax", "benefit", "wealth",
        ],
    },
    Words {
        role: ColumnRole::Sensitive,
        about: "convictions",
        words: &[
            "religion",
            "politics",
            "party",
            "vote",
            "crime",
            "offence",
            "offense",
            "conviction",
            "sexuality",
        ],
    },
    Words {
        role: ColumnRole::Key,
        about: "where a person lives or works",
        words: &[
            "zip",
            "zipcode",
            "postcode",
            "postal",
            "city",
            "town",
            "county",
            "state",
            "region",
            "country",
            "district",
            "municipality",
            "latitude",
            "longitude",
            "lat",
            "lon",
            "employer",
            "school",
            "birthplace",
        ],
    },
    Words {
        role: ColumnRole::Key,
        about: "a trait that neighbours and colleagues know",
        words: &[
            "age",
            "birth",
            "born",
            "dob",
            "birthdate",
            "birthday",
            "sex",
            "gender",
            "race",
            "ethnicity",
            "nationality",
            "citizenship",
            "marital",
            "married",
            "education",
            "occupation",
            "job",
            "profession",
            "height",
            "household",
            "children",
            "language",
            "death",
            "admission",
            "discharge",
        ],
    },
    Words {
        role: ColumnRole::Identifier,
        about: "the name of a person",
        words: &[
            "name",
            "firstname",
            "lastname",
            "surname",
            "forename",
            "givenname",
            "fullname",
        ],
    },
];

/// The role that a name speaks for, the word, and what it speaks of.
pub fn spoken(name: &str) -> Option<(ColumnRole, String, &'static str)> {
    let words = words_of(name);
    LISTS.iter().find_map(|list| {
        let word = words
            .iter()
            .find(|word| list.words.contains(&word.as_str()))?;
        Some((list.role, word.clone(), list.about))
    })
}

/// Whether a name says that its values tell who somebody is, or number persons.
pub fn names_person(name: &str) -> bool {
    let says = spoken(name).is_some_and(|(role, _, _)| role == ColumnRole::Identifier);
    says || is_one_person(name) || (is_about_persons(name) && is_number_of_something(name))
}

/// Whether a name is of something that is counted or measured, however few values it has.
pub fn is_quantity(name: &str) -> bool {
    let quantities = [
        "age", "children", "height", "birth", "size", "count", "years",
    ];
    let words = words_of(name);
    words.iter().any(|word| quantities.contains(&word.as_str()))
}

/// Whether a name says that its values are numbers of something: `id`, `patient_id`, `caseNo`.
pub fn is_number_of_something(name: &str) -> bool {
    let words = words_of(name);
    let last = words.last().map_or("", String::as_str);
    ["id", "no", "nr", "key", "uuid", "guid", "number", "pk"].contains(&last)
}

/// What persons are called.
const PERSONS: [&str; 16] = [
    "person",
    "patient",
    "customer",
    "client",
    "user",
    "member",
    "employee",
    "student",
    "subject",
    "citizen",
    "resident",
    "respondent",
    "participant",
    "household",
    "individual",
    "pupil",
];

/// Whether a name is the word for one person and nothing else: `patient`.
pub fn is_one_person(name: &str) -> bool {
    matches!(&words_of(name)[..], [word] if PERSONS.contains(&word.as_str()))
}

/// Whether a name is about persons: `patient_id`, `customer`.
pub fn is_about_persons(name: &str) -> bool {
    words_of(name).iter().any(|word| {
        let singular = word.strip_suffix('s').unwrap_or(word);
        PERSONS.contains(&word.as_str()) || PERSONS.contains(&singular)
    })
}

/// The words of a name in lower case: `patientId`, `patient_id` and `"Patient Id"` have the same.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || (letter.is_uppercase() && lower) {
            words.push(String::new());
        }
        if letter.is_alphanumeric() {
            let last = words.last_mut();
            last.into_iter()
                .for_each(|word| word.extend(letter.to_lowercase()));
        }
        lower = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}
