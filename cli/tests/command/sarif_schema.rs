//! Logs against the JSON schema that OASIS publishes; `scripts/setup` installs schema and validator.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::run;

/// Reads schema and log, prints what is wrong with the log.
const VALIDATOR: &str = r"
const fs = require('fs');
const Ajv = require('ajv');
const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
require('ajv-formats')(ajv);
const schema = JSON.parse(fs.readFileSync(require.resolve('schemastore/schemas/json/sarif-2.1.0.json')));
const validate = ajv.compile(schema);
if (!validate(JSON.parse(fs.readFileSync(process.argv[1])))) {
    for (const { instancePath, message } of validate.errors) console.log(instancePath + ' ' + message);
    process.exit(3);
}
";

/// Where `scripts/setup` puts it.
fn tools() -> PathBuf {
    let data = env::var_os("XDG_DATA_HOME").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let home = || PathBuf::from(env::var_os("HOME").expect("there is a home")).join(".local/share");
    data.unwrap_or_else(home).join("warpath/tools/sarif/node_modules")
}

/// Everything that the schema finds wrong with a log; empty if nothing is.
pub(crate) fn objections(log: &Path) -> Vec<String> {
    let modules = tools();
    let schema = modules.join("schemastore/schemas/json/sarif-2.1.0.json");
    assert!(schema.is_file(), "{} is missing: run scripts/setup", schema.display());
    let ran = run(Command::new("node").args(["-e", VALIDATOR]).arg(log).env("NODE_PATH", modules));
    match ran.code {
        Some(0) => Vec::new(),
        Some(3) => ran.stdout.lines().map(str::to_owned).collect(),
        _ => panic!("the validator itself failed: {ran:?}"),
    }
}
