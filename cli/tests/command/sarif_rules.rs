//! SARIF 2.1.0 as the specification has it, for the part that we use: which properties each object must and may have,
//! of which type, with which values, and what they must agree with elsewhere in the log.
//!
//! The JSON schema (`sarif_schema.rs`) sees each object by itself; indices, order and references between objects are
//! only seen here. Section numbers are those of the specification.

use std::collections::BTreeSet;

use serde_json::Value;

/// Everything wrong with a log; empty if nothing is.
pub(crate) fn faults(log: &Value) -> Vec<String> {
    let mut faults = Faults::default();
    faults.log(log);
    faults.found
}

#[derive(Default)]
struct Faults {
    found: Vec<String>,
}

type Check = fn(&mut Faults, &Value);

/// The properties of an object: name, whether it must be there, what its value must be.
type Properties<'p> = &'p [(&'p str, bool, Check)];

impl Faults {
    fn add(&mut self, text: impl Into<String>) {
        self.found.push(text.into());
    }

    /// An object with these properties and no others; `properties`, the bag for anything (3.8), may be in any.
    fn object(&mut self, what: &str, value: &Value, properties: Properties<'_>) {
        let Some(map) = value.as_object() else { return self.add(format!("{what} is no object: {value}")) };
        for (name, _, _) in
            properties.iter().filter(|(name, required, _)| *required && !map.contains_key(*name))
        {
            self.add(format!("{what} has no `{name}`: {value}"));
        }
        for (name, value) in map {
            match properties.iter().find(|(known, _, _)| known == name) {
                Some((_, _, check)) => check(self, value),
                None if name == "properties" && value.is_object() => {}
                None => self.add(format!("{what} may not have `{name}`: {value}")),
            }
        }
    }

    fn each(&mut self, value: &Value, fewest: usize, check: Check) {
        match value.as_array() {
            None => self.add(format!("no array: {value}")),
            Some(items) if items.len() < fewest => self.add(format!("fewer than {fewest}: {value}")),
            Some(items) => items.iter().for_each(|item| check(self, item)),
        }
    }

    fn text(&mut self, value: &Value) {
        if value.as_str().is_none_or(str::is_empty) {
            self.add(format!("no text: {value}"));
        }
    }

    fn one_of(&mut self, value: &Value, allowed: &[&str]) {
        if !value.as_str().is_some_and(|word| allowed.contains(&word)) {
            self.add(format!("{value} is none of {allowed:?}"));
        }
    }

    fn at_least(&mut self, value: &Value, smallest: u64) {
        if value.as_u64().is_none_or(|number| number < smallest) {
            self.add(format!("{value} is no number from {smallest} up"));
        }
    }

    /// 3.13
    fn log(&mut self, log: &Value) {
        self.object(
            "sarifLog",
            log,
            &[
                ("$schema", false, Faults::uri),
                ("version", true, |faults, version| faults.one_of(version, &["2.1.0"])),
                ("runs", true, |faults, runs| faults.each(runs, 0, Faults::run)),
            ],
        );
    }

    /// 3.14
    fn run(&mut self, run: &Value) {
        self.object(
            "run",
            run,
            &[
                ("tool", true, |faults, tool| {
                    faults.object("tool", tool, &[("driver", true, Faults::driver)]);
                }),
                ("invocations", false, |faults, all| faults.each(all, 0, Faults::invocation)),
                ("results", false, |faults, results| faults.each(results, 0, Faults::result)),
            ],
        );
        // 3.27.5 to 3.27.7: the index is that of a rule with this id.
        let rules = run["tool"]["driver"]["rules"].as_array().cloned().unwrap_or_default();
        for result in run["results"].as_array().into_iter().flatten() {
            let index = result["ruleIndex"].as_u64().and_then(|index| usize::try_from(index).ok());
            if index.and_then(|index| rules.get(index)).is_none_or(|rule| rule["id"] != result["ruleId"]) {
                self.add(format!("rule {} is not {}", result["ruleIndex"], result["ruleId"]));
            }
        }
        // 3.49.3: the ids of rules are distinct (a choice of ours among what is allowed).
        let ids: BTreeSet<String> = rules.iter().map(|rule| rule["id"].to_string()).collect();
        if ids.len() != rules.len() {
            self.add(format!("rules share an id: {rules:?}"));
        }
    }

    /// 3.19
    fn driver(&mut self, driver: &Value) {
        self.object(
            "toolComponent",
            driver,
            &[
                ("name", true, Faults::text),
                ("semanticVersion", false, Faults::version),
                ("rules", false, |faults, rules| faults.each(rules, 0, Faults::rule)),
            ],
        );
    }

    /// 3.19.12: as semver.org has it.
    fn version(&mut self, version: &Value) {
        let numbers = version.as_str().and_then(|text| text.split(['-', '+']).next()).unwrap_or_default();
        let parts: Vec<&str> = numbers.split('.').collect();
        if parts.len() != 3 || parts.iter().any(|part| part.parse::<u64>().is_err()) {
            self.add(format!("no semantic version: {version}"));
        }
    }

    /// 3.49
    fn rule(&mut self, rule: &Value) {
        let properties: Properties<'_> =
            &[("id", true, Faults::text), ("shortDescription", false, Faults::message)];
        self.object("reportingDescriptor", rule, properties);
        // 3.49.9: a sentence.
        if !rule["shortDescription"]["text"].as_str().is_none_or(|text| text.ends_with('.')) {
            self.add(format!("no sentence: {rule}"));
        }
    }

    /// 3.20
    fn invocation(&mut self, invocation: &Value) {
        self.object(
            "invocation",
            invocation,
            &[
                ("executionSuccessful", true, |faults, value| {
                    if !value.is_boolean() {
                        faults.add(format!("no Boolean: {value}"));
                    }
                }),
                ("exitCode", false, |faults, value| faults.at_least(value, 0)),
            ],
        );
    }

    /// 3.27
    fn result(&mut self, result: &Value) {
        self.object(
            "result",
            result,
            &[
                ("ruleId", false, Faults::text),
                ("ruleIndex", false, |faults, value| faults.at_least(value, 0)),
                ("level", false, |faults, value| faults.one_of(value, &["none", "note", "warning", "error"])),
                ("message", true, Faults::message),
                // 3.27.12: one place, unless all of them had to be changed.
                ("locations", false, |faults, all| faults.each(all, 0, Faults::location)),
                ("relatedLocations", false, |faults, all| faults.each(all, 0, Faults::location)),
                ("codeFlows", false, |faults, all| faults.each(all, 0, Faults::code_flow)),
                ("partialFingerprints", false, |faults, value| {
                    // 3.27.17, 3.5.4.2: names have a version at their end.
                    let prints = value.as_object().into_iter().flatten();
                    for (name, print) in prints {
                        let version = name.rsplit_once("/v").map(|(_, number)| number.parse::<u32>());
                        if !matches!(version, Some(Ok(_))) {
                            faults.add(format!("fingerprint without a version: {name}"));
                        }
                        faults.text(print);
                    }
                }),
            ],
        );
        // 3.28.2: an id is unique within its result.
        let ids: Vec<&Value> = result["relatedLocations"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|location| location.get("id"))
            .collect();
        if ids.iter().map(ToString::to_string).collect::<BTreeSet<_>>().len() != ids.len() {
            self.add(format!("locations share an id: {ids:?}"));
        }
    }

    /// 3.11
    fn message(&mut self, message: &Value) {
        self.object("message", message, &[("text", true, Faults::text)]);
    }

    /// 3.28
    fn location(&mut self, location: &Value) {
        self.object(
            "location",
            location,
            &[
                ("id", false, |faults, value| faults.at_least(value, 0)),
                ("message", false, Faults::message),
                ("physicalLocation", false, Faults::physical),
                ("logicalLocations", false, |faults, all| {
                    faults.each(all, 1, |faults, one| {
                        faults.object("logicalLocation", one, &[("fullyQualifiedName", false, Faults::text)]);
                    });
                }),
            ],
        );
    }

    /// 3.29, 3.4, 3.30
    fn physical(&mut self, physical: &Value) {
        self.object(
            "physicalLocation",
            physical,
            &[
                ("artifactLocation", true, |faults, artifact| {
                    faults.object("artifactLocation", artifact, &[("uri", true, Faults::uri)]);
                }),
                ("region", false, |faults, region| {
                    let from_one: Check = |faults, value| faults.at_least(value, 1);
                    let properties: Properties<'_> =
                        &[("startLine", true, from_one), ("startColumn", false, from_one)];
                    faults.object("region", region, properties);
                }),
            ],
        );
    }

    /// 3.4.3, RFC 3986: characters that may stand in a reference; a colon in the first part only behind a scheme.
    fn uri(&mut self, value: &Value) {
        let Some(uri) = value.as_str().filter(|uri| !uri.is_empty()) else {
            return self.add(format!("no reference: {value}"));
        };
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(c);
        if let Some(odd) = uri.chars().find(|c| !is_allowed(*c)) {
            self.add(format!("{odd:?} in the reference {uri}"));
        }
        for (at, _) in uri.match_indices('%') {
            if uri.get(at + 1..at + 3).is_none_or(|hex| u8::from_str_radix(hex, 16).is_err()) {
                self.add(format!("% without two digits in the reference {uri}"));
            }
        }
        let first = uri.split('/').next().unwrap_or_default();
        if let Some((scheme, _)) = first.split_once(':')
            && !["file", "https"].contains(&scheme)
        {
            self.add(format!("the scheme of {uri}"));
        }
        if uri.starts_with('/') {
            self.add(format!("an absolute path without its scheme: {uri}"));
        }
    }

    /// 3.36 to 3.38
    fn code_flow(&mut self, flow: &Value) {
        self.object(
            "codeFlow",
            flow,
            &[("threadFlows", true, |faults, flows| faults.each(flows, 1, Faults::thread_flow))],
        );
        let flows = flow["threadFlows"].as_array().map(Vec::as_slice).unwrap_or_default();
        let ids: BTreeSet<String> = flows.iter().map(|flow| flow["id"].to_string()).collect();
        if ids.len() != flows.len() {
            self.add(format!("thread flows share an id: {ids:?}"));
        }
        // 3.38.11: one order across the threads. That it has no gaps is our own rule.
        let steps = flows.iter().flat_map(|flow| flow["locations"].as_array().into_iter().flatten());
        let mut orders: Vec<Option<u64>> = steps.map(|step| step["executionOrder"].as_u64()).collect();
        orders.sort_unstable();
        if orders.iter().enumerate().any(|(n, order)| *order != Some(n as u64)) {
            self.add(format!("the steps of all threads are in no one order: {orders:?}"));
        }
    }

    fn thread_flow(&mut self, flow: &Value) {
        self.object(
            "threadFlow",
            flow,
            &[
                ("id", false, Faults::text),
                ("message", false, Faults::message),
                ("locations", true, |faults, all| faults.each(all, 1, Faults::step)),
            ],
        );
        // 3.37.6: in the order in which the thread came to them.
        let steps = flow["locations"].as_array().into_iter().flatten();
        if !steps.map(|step| step["executionOrder"].as_u64()).is_sorted() {
            self.add(format!("a thread that goes backwards: {flow}"));
        }
    }

    fn step(&mut self, step: &Value) {
        self.object(
            "threadFlowLocation",
            step,
            &[
                ("executionOrder", false, |faults, value| faults.at_least(value, 0)),
                ("importance", false, |faults, value| {
                    faults.one_of(value, &["important", "essential", "unimportant"]);
                }),
                ("location", false, Faults::location),
            ],
        );
    }
}
