package atomicfile_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/internal/atomicfile"
)

func TestOpenLines(t *testing.T) {
	long := `"` + strings.Repeat("x", 200_000) + `"` // longer than one read buffer
	tests := []struct {
		name  string
		have  string // "-" for no file
		keep  int
		want  string
		lines int
	}{
		{"new file", "-", 0, "", 0},
		{"new file, keep all", "-", atomicfile.KeepAll, "", 0},
		{"start over", "1\n2\n", 0, "", 0},
		{"keep some", "1\n2\n3\n", 2, "1\n2\n", 2},
		{"keep exactly", "1\n2\n", 2, "1\n2\n", 2},
		{"fewer than asked", "1\n2\n", 5, "1\n2\n", 2},
		{"keep all", "1\n2\n", atomicfile.KeepAll, "1\n2\n", 2},
		{"torn", "1\n2\n{\"a\":", atomicfile.KeepAll, "1\n2\n", 2},
		{"torn, past keep", "1\n2\n{\"a\":", 1, "1\n", 1},
		{"torn, within keep", "1\n2\n{\"a\":", 3, "1\n2\n", 2},
		{"only a torn line", "{\"a\":", 1, "", 0},
		{"empty lines count", "\n\n1\n", 2, "\n\n", 2},
		{"long lines", long + "\n" + long + "\n" + long, 3, long + "\n" + long + "\n", 2},
		{"long lines, keep one", long + "\n" + long + "\n", 1, long + "\n", 1},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "metrics.jsonl")
			if tc.have != "-" {
				if err := os.WriteFile(path, []byte(tc.have), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			l, err := atomicfile.OpenLines(path, tc.keep)
			if err != nil {
				t.Fatal(err)
			}
			if l.Len() != tc.lines {
				t.Errorf("Len is %d, want %d", l.Len(), tc.lines)
			}
			if err := l.Append(map[string]any{"epoch": 7, "name": "a<b"}); err != nil {
				t.Fatal(err)
			}
			if l.Len() != tc.lines+1 {
				t.Errorf("Len is %d after Append, want %d", l.Len(), tc.lines+1)
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			want := tc.want + `{"epoch":7,"name":"a<b"}` + "\n"
			if got, _ := os.ReadFile(path); string(got) != want {
				t.Errorf("file holds %.200q, want %.200q", got, want)
			}
		})
	}
}

func TestAppendIsVisibleAtOnceAndSurvivesReopening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "metrics.jsonl")
	for i := range 3 {
		l, err := atomicfile.OpenLines(path, i)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Append(i); err != nil {
			t.Fatal(err)
		}
		got, _ := os.ReadFile(path) // before Close: nothing is buffered
		if want := "0\n1\n2\n"[:2*(i+1)]; string(got) != want {
			t.Errorf("file holds %q, want %q", got, want)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAppendRefusesWhatJSONCannotHold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "metrics.jsonl")
	l, err := atomicfile.OpenLines(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Append(1); err != nil {
		t.Fatal(err)
	}
	err = l.Append(map[string]float64{"loss": math.NaN()})
	if err == nil || !strings.Contains(err.Error(), "metrics.jsonl: line 2") {
		t.Errorf("error is %v, want one naming line 2", err)
	}
	if err := l.Append(json.RawMessage("2")); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "1\n2\n" || l.Len() != 2 {
		t.Errorf("file holds %q, Len %d, want two lines", got, l.Len())
	}
}

func TestOpenLinesRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, tc := range map[string]struct {
		path string
		keep int
		want string
	}{
		"negative keep": {filepath.Join(dir, "f"), -1, "keep is -1"},
		"a folder":      {dir, 0, dir},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := atomicfile.OpenLines(tc.path, tc.keep); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error is %v, want one with %q", err, tc.want)
			}
		})
	}
	wantFolder(t, dir)
}
