//! A headless Chromium, driven by its chromedriver over WebDriver: plain HTTP and JSON. `scripts/setup` installs both.

use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A browser with one window.
pub(crate) struct Browser {
    driver: Child,
    port: u16,
    session: String,
    /// It may have more to say, and would end if nobody listened.
    _words: Lines<BufReader<ChildStdout>>,
}

impl Browser {
    pub(crate) fn start() -> Browser {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts: run scripts/setup");
        let mut lines = BufReader::new(driver.stdout.take().expect("a pipe")).lines();
        let port = lines
            .by_ref()
            .map(|line| line.expect("text"))
            .find_map(|line| {
                line.split("on port ").nth(1)?.trim_end_matches('.').parse().ok().filter(|port| *port != 0)
            })
            .expect("chromedriver says its port");
        let mut browser = Browser { driver, port, session: String::new(), _words: lines };
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "goog:loggingPrefs": { "browser": "ALL" },
            "goog:chromeOptions": { "args": [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--window-size=1280,1000", "--force-device-scale-factor=1",
            ]},
        }}});
        let started = browser.ask("POST", "/session", &wanted);
        browser.session = started["sessionId"].as_str().expect("a session").to_owned();
        browser
    }

    /// One request; the `value` of its answer.
    #[track_caller]
    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = body.to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("chromedriver listens");
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            self.port,
            body.len()
        );
        stream
            .write_all(head.as_bytes())
            .and_then(|()| stream.write_all(body.as_bytes()))
            .expect("a request");
        let mut answer = Vec::new();
        // The length says where it ends: the driver may keep the connection.
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("an answer");
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().expect("a number");
            }
            if line.trim().is_empty() {
                break;
            }
        }
        reader.by_ref().take(length).read_to_end(&mut answer).expect("an answer");
        let answer: Value = serde_json::from_slice(&answer).expect("JSON");
        assert!(answer["value"]["error"].is_null(), "{path}: {}", answer["value"]);
        answer["value"].clone()
    }

    #[track_caller]
    fn command(&self, name: &str, body: &Value) -> Value {
        self.ask("POST", &format!("/session/{}/{name}", self.session), body)
    }

    #[track_caller]
    pub(crate) fn open(&self, page: &Path) {
        self.command("url", &json!({ "url": format!("file://{}", page.display()) }));
    }

    /// Runs a script in the page; what it returns.
    #[track_caller]
    pub(crate) fn script(&self, script: &str) -> Value {
        self.command("execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// A command of the developer tools.
    #[track_caller]
    pub(crate) fn tools(&self, command: &str, parameters: &Value) -> Value {
        self.command("goog/cdp/execute", &json!({ "cmd": command, "params": parameters }))
    }

    /// Clicks where a user would.
    #[track_caller]
    pub(crate) fn click(&self, selector: &str) {
        let element = self.command("element", &json!({ "using": "css selector", "value": selector }));
        let id = element.as_object().and_then(|map| map.values().next()).and_then(Value::as_str);
        self.command(&format!("element/{}/click", id.expect("an element")), &json!({}));
    }

    /// Presses keys, one after the other; names as WebDriver has them.
    #[track_caller]
    pub(crate) fn press(&self, keys: &[&str]) {
        let strokes: Vec<Value> = keys
            .iter()
            .flat_map(|key| {
                [json!({ "type": "keyDown", "value": key }), json!({ "type": "keyUp", "value": key })]
            })
            .collect();
        self.command("actions", &json!({ "actions": [{ "type": "key", "id": "keys", "actions": strokes }] }));
    }

    /// What the console has said since the last time.
    #[track_caller]
    pub(crate) fn complaints(&self) -> Vec<String> {
        let log = self.command("se/log", &json!({ "type": "browser" }));
        let entries = log.as_array().expect("a list").iter();
        entries.map(|entry| entry["message"].as_str().unwrap_or_default().to_owned()).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() && !std::thread::panicking() {
            self.ask("DELETE", &format!("/session/{}", self.session), &json!({}));
        }
        // Its browser ends with it.
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// Keys that have no character.
pub(crate) mod keys {
    pub(crate) const TAB: &str = "\u{e004}";
    pub(crate) const ENTER: &str = "\u{e007}";
    pub(crate) const ESCAPE: &str = "\u{e00c}";
    pub(crate) const END: &str = "\u{e010}";
    pub(crate) const HOME: &str = "\u{e011}";
    pub(crate) const LEFT: &str = "\u{e012}";
    pub(crate) const UP: &str = "\u{e013}";
    pub(crate) const DOWN: &str = "\u{e015}";
}
