//! Reading a compiler's command line just well enough: does it link, is it C++, for which machine?

use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

use serde::{Serialize, Serializer};

/// The language that decides which driver links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Language {
    C,
    Cxx,
}

/// Options of gcc and clang whose value may be the next word; it must not be taken for an input file.
const WITH_VALUE: [&str; 38] = [
    "-o",
    "-x",
    "-I",
    "-L",
    "-l",
    "-D",
    "-U",
    "-A",
    "-B",
    "-F",
    "-T",
    "-u",
    "-z",
    "-e",
    "-G",
    "-b",
    "-V",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-isysroot",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-MF",
    "-MT",
    "-MQ",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xclang",
    "-mllvm",
    "-target",
    "-arch",
    "--param",
    "--sysroot",
];

/// Options after which nothing is linked by this call, or is linked again later.
const NO_LINK: [&str; 9] = ["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-r", "-###", "--precompile"];

/// Endings of C++ sources, as gcc has them.
const CXX_ENDINGS: [&str; 7] = ["cc", "cp", "cxx", "cpp", "CPP", "c++", "C"];

/// The arguments, and what they mean for us.
#[derive(Debug)]
pub(super) struct CommandLine {
    words: Vec<OsString>,
    language: Language,
    links: bool,
    has_inputs: bool,
}

impl Serialize for CommandLine {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.words.iter().map(|word| word.to_string_lossy()))
    }
}

impl CommandLine {
    /// Reads the words.
    pub(super) fn new(words: Vec<OsString>) -> Self {
        let mut language = Language::C;
        let mut links = true;
        let mut has_inputs = false;
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            if NO_LINK.iter().any(|option| word == option) {
                links = false;
            }
            if WITH_VALUE.iter().any(|option| word == option) {
                let value = rest.next();
                if word == "-x" && value.is_some_and(|language| names_cxx(language)) {
                    language = Language::Cxx;
                }
            } else if let Some(glued) = word.as_bytes().strip_prefix(b"-x") {
                if names_cxx(OsStr::from_bytes(glued)) {
                    language = Language::Cxx;
                }
            } else if word == "-" || !word.as_bytes().starts_with(b"-") {
                has_inputs = true;
                if is_cxx_source(word) {
                    language = Language::Cxx;
                }
            }
        }
        CommandLine { words, language, links: links && has_inputs, has_inputs }
    }

    pub(super) fn words(&self) -> &[OsString] {
        &self.words
    }

    /// Is this one of the words?
    pub(super) fn has(&self, option: &str) -> bool {
        self.words.iter().any(|word| word == option)
    }

    pub(super) fn language(&self) -> Language {
        self.language
    }

    /// Is anything compiled or linked at all? (`--version` has no inputs.)
    pub(super) fn has_inputs(&self) -> bool {
        self.has_inputs
    }

    /// Does this call link, so that the stubs must be there?
    pub(super) fn links(&self) -> bool {
        self.links
    }

    /// The options that decide which machine code is made; the stubs must be made for the same machine.
    pub(super) fn machine_options(&self) -> Vec<OsString> {
        let mut options = Vec::new();
        let mut rest = self.words.iter();
        while let Some(word) = rest.next() {
            let text = word.to_string_lossy();
            if ["-m32", "-m64", "-mx32"].contains(&&*text)
                || text.starts_with("--target=")
                || text.starts_with("--sysroot=")
            {
                options.push(word.clone());
            } else if ["-target", "--sysroot"].contains(&&*text) {
                options.push(word.clone());
                options.extend(rest.next().cloned());
            }
        }
        options
    }
}

fn names_cxx(language: &OsStr) -> bool {
    language.as_bytes().starts_with(b"c++")
}

fn is_cxx_source(word: &OsStr) -> bool {
    Path::new(word).extension().is_some_and(|ending| CXX_ENDINGS.iter().any(|cxx| ending == *cxx))
}

/// The compiler to call. `$CC` may hold several words, as in `ccache gcc`.
#[derive(Debug, Serialize)]
pub(super) struct Driver {
    words: Vec<String>,
    variable: &'static str,
}

impl Driver {
    /// `$CC` or `cc`; for C++ `$CXX` or `c++`.
    pub(super) fn choose(language: Language) -> Self {
        let (variable, fallback) = match language {
            Language::C => ("CC", "cc"),
            Language::Cxx => ("CXX", "c++"),
        };
        let words: Vec<String> =
            env::var(variable).unwrap_or_default().split_whitespace().map(Into::into).collect();
        let ourselves = is_ourselves(&words);
        // `make CC='warpath cc'` exports nothing, but some builds do, and then we would call ourselves for ever.
        Driver { words: if words.is_empty() || ourselves { vec![fallback.into()] } else { words }, variable }
    }

    /// A call of it without arguments yet.
    pub(super) fn command(&self) -> Command {
        let mut words = self.words.iter();
        let mut command = Command::new(words.next().map_or("cc", String::as_str));
        command.args(words);
        command
    }

    /// The words of the call, for telling compilers apart.
    pub(super) fn words(&self) -> &[String] {
        &self.words
    }

    /// The environment variable that names it.
    pub(super) fn variable(&self) -> &'static str {
        self.variable
    }
}

fn is_ourselves(words: &[String]) -> bool {
    matches!(words, [first, second, ..]
        if second == "cc" && Path::new(first).file_name().is_some_and(|name| name == "warpath"))
}

impl fmt::Display for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &str) -> CommandLine {
        CommandLine::new(words.split_whitespace().map(Into::into).collect())
    }

    #[test]
    fn only_linking_calls_link() {
        for words in ["a.c", "a.o b.o -o prog", "-o prog a.c -lm", "-x c -", "a.c -Wl,-r"] {
            assert!(read(words).links(), "{words}");
        }
        for words in
            ["-c a.c", "a.c -S", "-E a.c", "-MM a.c", "--version", "-o prog", "-I include -D c.c", "-r a.o"]
        {
            assert!(!read(words).links(), "{words}");
        }
    }

    #[test]
    fn cxx_is_seen_by_ending_or_option() {
        for words in ["a.cpp", "a.c b.cc", "-x c++ -", "-xc++ -", "dir.d/a.C"] {
            assert_eq!(read(words).language(), Language::Cxx, "{words}");
        }
        for words in ["a.c", "-o a.cpp a.c", "-x c a.h", "-include a.cpp a.c", "a.o"] {
            assert_eq!(read(words).language(), Language::C, "{words}");
        }
    }

    #[test]
    fn the_machine_goes_along() {
        let options = read("-m32 -O2 --target=x86_64-linux-gnu -target i386 a.c").machine_options();
        assert_eq!(options, ["-m32", "--target=x86_64-linux-gnu", "-target", "i386"]);
    }

    #[test]
    fn a_compiler_that_is_us_is_noticed() {
        assert!(is_ourselves(&["/opt/bin/warpath".into(), "cc".into()]));
        assert!(!is_ourselves(&["ccache".into(), "cc".into()]));
    }
}
