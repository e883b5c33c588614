package sanitize

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "",
		"naïve 图 \"a\" \\ b":    "naïve 图 \"a\" \\ b",
		"a\x1b[31mb":            `a\x1b[31mb`,
		"a\nb\tc\rd\x7f":        `a\nb\tc\rd\x7f`,
		"a\u009bb":              `a\u009bb`,
		"a\u202eb\u2066c\u200b": `a\u202eb\u2066c\u200b`,
		"a\xffb\xc3":            `a\xffb\xc3`,
		"a\ufffdb":              "a\ufffdb",
	} {
		if got := Text(text); got != want {
			t.Errorf("Text(%q) is %q, want %q", text, got, want)
		}
	}
}

// Line ends stay only between joined errors.
func TestMessage(t *testing.T) {
	name := &fs.PathError{Op: "open", Path: "a\nehgnn: b", Err: errors.New("no\x1bfile")}
	for _, test := range []struct {
		err  error
		want string
	}{
		{errors.New("a\nb"), `a\nb`},
		{name, `open a\nehgnn: b: no\x1bfile`},
		{fmt.Errorf("x\ny: %w", name), `x\ny: open a\nehgnn: b: no\x1bfile`},
		{errors.Join(errors.New("one"), name), "one\n" + `open a\nehgnn: b: no\x1bfile`},
		{fmt.Errorf("in: %w", errors.Join(errors.New("one\n"), errors.New("two"))), `in: one\n` + "\ntwo"},
		{fmt.Errorf("%w and\n%w", errors.New("one"), errors.New("two")), `one and\ntwo`},
		{&unshown{errors.New("hidden")}, `shown\n`},
		{errors.New("ehgnn: tables: pay: edges.csv:1: no column"), "pay: edges.csv:1: no column"},
		{errors.New("edges.csv: no column"), "edges.csv: no column"},
	} {
		if got := Message("ehgnn", test.err); got != test.want {
			t.Errorf("%q is printed as %q, want %q", test.err, got, test.want)
		}
	}
}

// unshown wraps an error whose text is not part of its own.
type unshown struct{ error }

func (*unshown) Error() string   { return "shown\n" }
func (e *unshown) Unwrap() error { return e.error }

func TestShortened(t *testing.T) {
	long := "begin " + strings.Repeat("ü", 10<<20) + " end"
	got := Message("ehgnn", errors.New(long))
	if n := utf8.RuneCountInString(got); n != longest+1 || !strings.HasPrefix(got, "begin ü") || !strings.HasSuffix(got, "ü end") || !strings.Contains(got, "ü…ü") {
		t.Errorf("%d characters: %.20q", n, got)
	}
	if exact := strings.Repeat("ü", longest); Short(exact) != exact {
		t.Error("a text of just the longest is cut")
	}
}
