//go:build unix

package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/ehgnn/ehgnn/cmd/ehgnn/cli"
)

// If the device accepts no output, that is a failure, whatever prints it.
func TestFullDevice(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	for _, args := range []string{"--help", "train --help", "help data fetch", "version", "data list", "data list --json", "completion bash", "reproduce"} {
		cmd := command(t, strings.Fields(args)...)
		var errs strings.Builder
		cmd.Stdout, cmd.Stderr = full, &errs
		_ = cmd.Run() // its ProcessState says how it ended
		if code := cmd.ProcessState.ExitCode(); code != cli.ExitFailed || !strings.Contains(errs.String(), "no space left on device") {
			t.Errorf("%s: exit code %d, %q", args, code, errs.String())
		}
	}
}

// If the device accepts no table, that is a failure, and so is a folder without write permission. A
// folder that does not exist is a usage error.
func TestOutputFails(t *testing.T) {
	dir, run := t.TempDir(), smallRun(t)
	full := filepath.Join(dir, "full.csv")
	if err := os.Symlink("/dev/full", full); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip(err)
	}
	data := small(t).folder(t)
	refused := filepath.Join(dir, "closed", "x.csv")
	if err := os.Mkdir(filepath.Dir(refused), 0o500); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{full: cli.ExitFailed, refused: cli.ExitFailed, filepath.Join(dir, "none", "x.csv"): cli.ExitUsage, filepath.Join(dir, "x.what"): cli.ExitUsage} {
		if path == refused && os.Getuid() == 0 {
			continue // root may write everywhere
		}
		for _, verb := range []string{"predict", "embed"} {
			cmd := command(t, verb, run, data, "--out", path)
			var errs strings.Builder
			cmd.Stderr = &errs
			_ = cmd.Run() // its ProcessState says how it ended
			if code := cmd.ProcessState.ExitCode(); code != want {
				t.Errorf("%s --out %s: exit code %d, want %d: %q", verb, path, code, want, errs.String())
			}
		}
	}
}

// With --quiet the file that is written is the only result.
func TestQuiet(t *testing.T) {
	data, run := small(t).folder(t), smallRun(t)
	for _, verb := range []string{"predict", "embed"} {
		out := filepath.Join(t.TempDir(), "x.csv")
		if text := succeed(t, verb, run, data, "--out", out); !strings.Contains(text, "rows written to") {
			t.Errorf("%s prints %q", verb, text)
		}
		if text := succeed(t, verb, run, data, "--out", out, "--quiet"); text != "" {
			t.Errorf("%s --quiet prints %q", verb, text)
		}
	}
}

// With --spreadsheet-safe no text of a CSV begins a formula. Other formats have no such texts.
func TestSpreadsheetSafe(t *testing.T) {
	dir := t.TempDir()
	var edges strings.Builder
	for i := range 60 {
		fmt.Fprintf(&edges, "=n%d,@m%d,u%d\n", i, i, i%2)
	}
	path := filepath.Join(dir, "edges.csv")
	if err := os.WriteFile(path, []byte("source,target,label\n"+edges.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(dir, "run")
	exits0(t, "train", path, "--epochs", "1", "--hidden", "4", "--quiet", "--out", run)
	if text := succeed(t, "predict", run, path, "--quiet"); !strings.Contains(text, "\n0,=n0,@m0,") {
		t.Errorf("%.200q", text)
	}
	if text := succeed(t, "predict", run, path, "--quiet", "--spreadsheet-safe"); !strings.Contains(text, "\n0,'=n0,'@m0,") {
		t.Errorf("%.200q", text)
	}
	refused(t, "--spreadsheet-safe is for CSV", "predict", run, path, "--spreadsheet-safe", "--out", filepath.Join(dir, "x.parquet"))
}

// A closed pipe is not reported as a failure.
func TestClosedPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	for _, args := range []string{"--help", "version", "data list"} {
		cmd := command(t, strings.Fields(args)...)
		var errs strings.Builder
		cmd.Stdout, cmd.Stderr = w, &errs
		_ = cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != cli.ExitPipe || errs.String() != "" {
			t.Errorf("%s: exit code %d, %q", args, code, errs.String())
		}
	}
}

// Control characters in names and contents of files are not printed to a terminal, and long texts
// are truncated.
func TestHostileData(t *testing.T) {
	dir, long := t.TempDir(), 10<<20
	if testing.Short() {
		long = 1 << 20
	}
	const name = "\x1b[31m\a\u009b\u202e"
	const bad = name + "\xff"
	const fake = "\nehgnn: all is well"
	var edges strings.Builder
	for i := range 60 {
		fmt.Fprintf(&edges, "n%d,m%d,u%s%d\n", i, i, name, i%2)
	}
	for file, text := range map[string]string{
		"x" + name + fake + ".csv": "source,target,label\n" + edges.String(),
		"header.csv":               "source,target,lab" + bad + "el\na,b,0\nb,c,1\n",
		"cells.csv":                "source,target,label,k\na,b,u" + bad + ",1\nb,c,v,x" + bad + "\n",
		"long.csv":                 "source,target,label,k\na,b,1,2\nb,c,0," + strings.Repeat("y", long) + "\n",
		"json.json":                `{"nodes":[{"id":"` + bad + `"}],"edges":[{"source":"` + bad + `","target":"z"}]}`,
		"yaml.yaml":                "hidden: [\"\u009b\u202e\n",
	} {
		path, out := filepath.Join(dir, file), filepath.Join(dir, "run"+name+fake)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		succeeded := 0
		for _, args := range [][]string{
			{"data", "info", path},
			{"data", "info", path + "gone"},
			{"train", path, "--label", "nol" + bad},
			{"train", path, "--label", "k", "--task", "edge-regression", "--out", filepath.Join(dir, "run")},
			{"train", path, "--config", path},
			{"train", path, "--label", "label", "--epochs", "2", "--hidden", "4", "--out", out},
			{"evaluate", out, "--split", "train"},
			{"predict", out, path, "--out", filepath.Join(dir, "p"+name+fake+".csv")},
			{"bad" + bad},
		} {
			r := run(t, args...)
			if r.code == cli.ExitOK {
				succeeded++
			}
			for _, text := range []string{r.stdout, r.stderr} {
				for line := range strings.Lines(text) {
					line = strings.TrimSuffix(line, "\n")
					if !utf8.ValidString(line) || strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
						t.Errorf("%.80q prints %q", args, line)
					}
					if strings.HasPrefix(line, fake[1:]) {
						t.Errorf("%.80q prints a line of its name", args)
					}
				}
				if utf8.RuneCountInString(text) > 3000 {
					t.Errorf("%.80q prints %d bytes", args, len(text))
				}
			}
		}
		if strings.HasPrefix(file, "x") && succeeded != 4 {
			t.Errorf("%d calls succeeded, want those of what can be read", succeeded)
		}
		if err := os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}
	}
}
