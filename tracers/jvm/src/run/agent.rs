//! Where the agent and the JVM are.

use std::path::{Path, PathBuf};

use super::error::JvmError;

const JAR: &str = "warpath-agent.jar";

/// The agent's archive: named in the environment, beside the executable, or where it is built.
pub(super) fn find_agent() -> Result<PathBuf, JvmError> {
    if let Some(named) = std::env::var_os("WARPATH_JVM_AGENT") {
        let named = PathBuf::from(named);
        return if named.is_file() { Ok(named) } else { Err(JvmError::Agent(named)) };
    }
    let beside = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.join(JAR)));
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("agent/target").join(JAR);
    let known = beside.into_iter().chain([built.clone()]);
    known.into_iter().find(|path| path.is_file()).ok_or(JvmError::Agent(built))
}

/// A command named without a slash is looked up in PATH, as a shell would.
pub(super) fn find_command(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        let path = PathBuf::from(name);
        return path.is_file().then_some(path);
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|file| file.is_file())
}
