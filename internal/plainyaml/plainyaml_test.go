package plainyaml_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/plainyaml"
)

func keys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "key%d: 1\n", i)
	}
	return b.String()
}

func TestUnmarshal(t *testing.T) {
	text := "a: 1\nlist:\n- x: [1, 2]\n  y: {p: q}\n- x: []\nb: \"*no alias & no anchor\"\n"
	var got map[string]any
	if err := plainyaml.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"a": uint64(1), "b": "*no alias & no anchor", "list": []any{
		map[string]any{"x": []any{uint64(1), uint64(2)}, "y": map[string]any{"p": "q"}}, map[string]any{"x": []any{}}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	// Many small maps, such as those of the columns of tables, and long lists.
	for _, text := range []string{strings.Repeat("- name: x\n  width: 3\n", 5000), "a:\n" + strings.Repeat("- name: x\n  width: 3\n", 2000),
		"a: [" + strings.Repeat("word, ", 10000) + "]", strings.Repeat("- [1, 2, {a: b}]\n", 2000), keys(1000), strings.Repeat("# comment\n", 10)} {
		var v any
		if err := plainyaml.Unmarshal([]byte(text), &v); err != nil {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

func TestRefused(t *testing.T) {
	deep := "more than 64 deep"
	for _, test := range []struct{ text, want string }{
		{"a: " + strings.Repeat("[", 10000), deep},
		{"a: " + strings.Repeat("{a: ", 10000), deep},
		{"a: " + strings.Repeat("[{a: ", 10000), deep},
		{strings.Repeat("- ", 10000), deep},
		{func() string {
			var b strings.Builder
			for i := range 100 {
				b.WriteString(strings.Repeat(" ", i) + "a:\n")
			}
			return b.String()
		}(), "line 65: collections in collections " + deep},
		{keys(5000), "line 1025: a map of more than 1024 keys"},
		{"a: {" + strings.Repeat("b: 1, ", 2000) + "}", "a map of more than 1024 keys"},
		{"a: &x [1]\nb: *x\n", `line 1: "&"`},
		{"a: 1\nb: *x\n", `line 2: "*"`},
		{"a: 1\n\x00", "line 2: a control character"},
		{strings.Repeat(" ", plainyaml.MaxBytes+1), "expected at most 16 MiB of YAML"},
		{"a: [1\n", "[1:"},
	} {
		var v any
		if err := plainyaml.Unmarshal([]byte(test.text), &v); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.40q: %v, want %q", test.text, err, test.want)
		}
		if _, err := plainyaml.ToJSON([]byte(test.text)); err == nil {
			t.Errorf("%.40q as JSON: no error", test.text)
		}
	}
}

func TestReadFile(t *testing.T) {
	if _, err := os.Stat("/dev/zero"); err == nil {
		if _, err := plainyaml.ReadFile("/dev/zero"); err == nil || !strings.Contains(err.Error(), "larger than 16 MiB") {
			t.Errorf("an endless device: %v", err)
		}
	}
	path := filepath.Join(t.TempDir(), "a.yaml")
	if err := os.WriteFile(path, []byte("a: 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if text, err := plainyaml.ReadFile(path); err != nil || string(text) != "a: 1\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// No text makes the reader panic.
func FuzzUnmarshal(f *testing.F) {
	for _, seed := range []string{"a: 1\nb: [1, {c: d}]\n", "- a\n- b: c\n  d: |\n    text\n", "? a\n: b\n", "a: &x 1\nb: *x\n", "{a: [}", "\"\\u0041\": 'x'\n---\nb: 1\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var v any
		_ = plainyaml.Unmarshal(text, &v)
		_, _ = plainyaml.ToJSON(text)
	})
}

// A byte order mark is not part of the first key.
func TestByteOrderMark(t *testing.T) {
	var v map[string]int
	if err := plainyaml.Unmarshal([]byte("\ufeffhidden: 8\r\n"), &v); err != nil || v["hidden"] != 8 {
		t.Errorf("%v, %v", v, err)
	}
}
