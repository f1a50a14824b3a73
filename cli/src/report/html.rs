//! HTML that cannot be broken by what is in it.
//!
//! Tags and names of attributes are constants of ours. Everything else goes through [`Html::text`] or the value of an
//! attribute, and is escaped there: names of programs, files and variables may contain anything.

/// Attributes: name and value.
pub(crate) type Attributes<'a> = &'a [(&'static str, &'a str)];

/// A piece of a page.
#[derive(Debug, Default)]
pub(crate) struct Html(String);

impl Html {
    /// Text between tags.
    pub(crate) fn text(&mut self, text: &str) -> &mut Html {
        escape(text, &mut self.0);
        self
    }

    /// Text in which `` `names` `` are marked as code.
    pub(crate) fn prose(&mut self, text: &str) -> &mut Html {
        let pieces: Vec<&str> = text.split('`').collect();
        // An odd number of marks means that one of them belongs to a name.
        if pieces.len().is_multiple_of(2) {
            return self.text(text);
        }
        for (n, piece) in pieces.into_iter().enumerate() {
            match n % 2 {
                0 => self.text(piece),
                _ => self.leaf("code", &[], piece),
            };
        }
        self
    }

    /// An opening tag.
    pub(crate) fn open(&mut self, tag: &'static str, attributes: Attributes<'_>) -> &mut Html {
        self.0.push('<');
        self.0.push_str(tag);
        for (name, value) in attributes {
            self.0.push(' ');
            self.0.push_str(name);
            self.0.push_str("=\"");
            escape(value, &mut self.0);
            self.0.push('"');
        }
        self.0.push('>');
        self
    }

    /// A closing tag.
    pub(crate) fn close(&mut self, tag: &'static str) -> &mut Html {
        self.0.push_str("</");
        self.0.push_str(tag);
        self.0.push_str(">\n");
        self
    }

    /// An element with text in it.
    pub(crate) fn leaf(&mut self, tag: &'static str, attributes: Attributes<'_>, text: &str) -> &mut Html {
        self.open(tag, attributes).text(text);
        self.0.push_str("</");
        self.0.push_str(tag);
        self.0.push('>');
        self
    }

    /// An element with something in it.
    pub(crate) fn element(
        &mut self,
        tag: &'static str,
        attributes: Attributes<'_>,
        fill: impl FnOnce(&mut Html),
    ) -> &mut Html {
        self.open(tag, attributes);
        fill(self);
        self.close(tag)
    }

    /// A part of the page that is ours.
    pub(crate) fn constant(&mut self, text: &'static str) -> &mut Html {
        self.0.push_str(text);
        self
    }

    /// The text of it all.
    pub(crate) fn into_string(self) -> String {
        self.0
    }
}

fn escape(text: &str, into: &mut String) {
    for c in text.chars() {
        match c {
            '&' => into.push_str("&amp;"),
            '<' => into.push_str("&lt;"),
            '>' => into.push_str("&gt;"),
            '"' => into.push_str("&quot;"),
            '\'' => into.push_str("&#39;"),
            '\n' | '\t' => into.push(c),
            // Marks that turn the direction of text would make a line read as another one.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => into.push('\u{fffd}'),
            c if c.is_control() => into.push('\u{fffd}'),
            c => into.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_gets_out_of_text_or_attributes() {
        let mut html = Html::default();
        html.leaf(
            "b",
            &[("title", "\"><img src=x onerror=alert(1)>")],
            "</b><script>x</script>\u{202e}\u{1}",
        );
        let text = html.into_string();
        assert_eq!(
            text,
            "<b title=\"&quot;&gt;&lt;img src=x onerror=alert(1)&gt;\">&lt;/b&gt;&lt;script&gt;x&lt;/script&gt;\u{fffd}\u{fffd}</b>"
        );
    }

    #[test]
    fn names_in_prose_are_code() {
        let prose = |text: &str| {
            let mut html = Html::default();
            html.prose(text);
            html.into_string()
        };
        assert_eq!(prose("writes `<x>` here"), "writes <code>&lt;x&gt;</code> here");
        assert_eq!(prose("one ` only"), "one ` only");
    }
}
