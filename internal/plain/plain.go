// Package plain escapes untrusted text before it reaches a terminal or a log.
//
// What a program prints for people holds names of files and pieces of their contents,
// which may be anything. A terminal obeys control characters, and text that runs from right
// to left can make a message read as another one, so both are shown as escapes; what is
// long is cut. Results that programs read (CSV, JSON) have the bytes of the data and do not go
// through this package.
package plain

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

// longest is how many characters of a message are shown.
const longest = 2000

// Text shows what is not a printable character or a space as an escape: \n, \x1b, \u202e.
// Bytes that are no UTF-8 become \x and two digits.
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

// Short cuts the middle out of a long text.
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

// Message is the text of an error as it is printed behind the name of the program, which
// errors of the library may begin with, too. It has no name of a Go package before it. The only ends of lines in it are those between
// joined errors and those of an excerpt of YAML.
func Message(program string, err error) string {
	return Short(WithoutPackage(strings.TrimPrefix(lines(err), program+": ")))
}

// packages are the names of packages that their errors begin with.
var packages = []string{"atomicfile", "auto", "benchmark", "boost", "chem", "columns", "convert", "data", "draw", "experiment", "fetch", "forest",
	"genetic", "graph", "graphfile", "items", "linear", "loss", "mars", "metric", "model", "molgan", "nn", "nodelink", "optim",
	"page", "picture", "planetoid", "pool", "report", "review", "safetensors", "score", "serve", "settings", "smiles", "structure",
	"surrogate", "sweep", "synth", "tables", "tabular", "tensor", "tfevents", "train"}

// WithoutPackage is the text of an error without the name of the Go package that it begins with, which tells a user nothing.
func WithoutPackage(text string) string {
	if name, rest, ok := strings.Cut(text, ": "); ok && slices.Contains(packages, name) {
		return rest
	}
	return text
}

// lines is Message in full. An error shows those that it wraps within text of its own,
// which is where names and contents of files are.
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
		if at < 0 { // it is not shown
			continue
		}
		if own := text[:at]; i > 0 && own == "\n" { // as errors.Join puts it
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

// Write lets text write for people: what it writes goes to w without control characters
// but for the ends of lines.
func Write(w io.Writer, text func(w io.Writer) error) error {
	var b bytes.Buffer
	if err := text(&b); err != nil {
		return err
	}
	_, err := io.WriteString(w, textLines(b.String()))
	return err
}

// Attr cuts what is long in a log; slog itself quotes what is not printable.
func Attr(_ []string, a slog.Attr) slog.Attr {
	switch a.Value.Kind() {
	case slog.KindString, slog.KindAny:
		if text := a.Value.String(); a.Key != slog.LevelKey && len(text) > longest {
			a.Value = slog.StringValue(Short(text))
		}
	}
	return a
}
