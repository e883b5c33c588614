// Package sanitize escapes untrusted text before it reaches a terminal or a log.
//
// Messages have names of files and parts of their contents, which may be any text. A terminal
// executes control characters, and right-to-left text can change how a message reads, so both are
// shown as escapes. Long text is shortened. Results for programs (CSV, JSON) have the bytes of the
// data and are not escaped.
package sanitize

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ehgnn/ehgnn/internal/plainyaml"
)

// longest is the largest number of characters of a message.
const longest = 2000

// Text returns a text in which all characters except printable ones and spaces are escaped: \n,
// \x1b, \u202e. Bytes that are not UTF-8 become \x and two digits.
func Text(text string) string {
	odd := func(r rune) bool { return r == utf8.RuneError || !unicode.IsPrint(r) }
	if !strings.ContainsFunc(text, odd) {
		return text
	}
	var b strings.Builder
	for i, size := 0, 0; i < len(text); i += size {
		var r rune
		switch r, size = utf8.DecodeRuneInString(text[i:]); {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case !odd(r) || r == utf8.RuneError:
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return b.String()
}

// Short shortens a long text in its middle.
func Short(text string) string {
	if len(text) <= longest {
		return text
	}
	r := []rune(text)
	if len(r) <= longest {
		return text
	}
	return string(r[:longest/2]) + "…" + string(r[len(r)-longest/2:])
}

// Message returns the text of an error for printing after the name of the program, without the name
// of the program or of a Go package at its beginning. It has line ends only between joined errors
// and within an excerpt of YAML.
func Message(program string, err error) string {
	return Short(WithoutPackage(strings.TrimPrefix(lines(err), program+": ")))
}

// packages are the names of packages whose errors begin with their name.
var packages = []string{"atomicfile", "auto", "benchmark", "boost", "chem", "columns", "convert", "data", "draw", "experiment", "fetch", "forest",
	"genetic", "graph", "graphfile", "items", "linear", "loss", "mars", "metric", "model", "molgan", "nn", "nodelink", "optim",
	"page", "picture", "planetoid", "pool", "proposal", "report", "review", "safetensors", "score", "serve", "settings", "smiles", "structure",
	"surrogate", "sweep", "synth", "tables", "tabular", "tensor", "tfevents", "train"}

// WithoutPackage returns the text of an error without the name of the Go package at its beginning,
// which does not help a user.
func WithoutPackage(text string) string {
	if name, rest, ok := strings.Cut(text, ": "); ok && slices.Contains(packages, name) {
		return rest
	}
	return text
}

// lines returns Message in full length. An error's own text contains the texts of the errors that
// it wraps, and this is where names and contents of files are.
func lines(err error) string {
	text := err.Error()
	var inner []error
	switch e := err.(type) {
	case *plainyaml.SyntaxError:
		return textLines(text)
	case interface{ Unwrap() []error }:
		inner = e.Unwrap()
	default:
		if in := errors.Unwrap(err); in != nil {
			inner = []error{in}
		}
	}
	var b strings.Builder
	for i, in := range inner {
		of := in.Error()
		at := strings.Index(text, of)
		if at < 0 { // the text does not contain it
			continue
		}
		if own := text[:at]; i > 0 && own == "\n" { // as errors.Join writes it
			b.WriteString(own)
		} else {
			b.WriteString(Text(own))
		}
		b.WriteString(lines(in))
		text = text[at+len(of):]
	}
	b.WriteString(Text(text))
	return b.String()
}

// textLines is Text for each line of a text.
func textLines(text string) string {
	list := strings.Split(text, "\n")
	for i := range list {
		list[i] = Text(list[i])
	}
	return strings.Join(list, "\n")
}

// Write runs text, which writes for readers. Its output goes to w with control characters escaped,
// except line ends.
func Write(w io.Writer, text func(w io.Writer) error) error {
	var b bytes.Buffer
	if err := text(&b); err != nil {
		return err
	}
	_, err := io.WriteString(w, textLines(b.String()))
	return err
}

// Attr shortens long values in a log. slog itself quotes characters that are not printable.
func Attr(_ []string, a slog.Attr) slog.Attr {
	switch a.Value.Kind() {
	case slog.KindString, slog.KindAny:
		if text := a.Value.String(); a.Key != slog.LevelKey && len(text) > longest {
			a.Value = slog.StringValue(Short(text))
		}
	}
	return a
}
