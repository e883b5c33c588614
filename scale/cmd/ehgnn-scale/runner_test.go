package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An engine writes the same files as local.
func TestRunner(t *testing.T) {
	run, in := runAndStore(t, "ehgnn-edge")
	out := map[string]string{"local": filepath.Join(t.TempDir(), "out"), "prism": filepath.Join(t.TempDir(), "out")}
	for runner, dir := range out {
		if code, _, errs := called(t, "predict", run, in, "--out", dir, "--runner", runner); code != exitOK {
			t.Fatalf("runner %s: exit code %d: %s", runner, code, errs)
		}
	}
	names, err := filepath.Glob(filepath.Join(out["local"], "*.parquet"))
	if err != nil || len(names) != 3 {
		t.Fatalf("%v, %d files, expected 3", err, len(names))
	}
	for _, name := range names {
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(out["prism"], filepath.Base(name)))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s: prism and local differ", filepath.Base(name))
		}
	}
}

func TestRunnerFlags(t *testing.T) {
	for text, want := range map[string]string{
		"--runner samza":                    `--runner is "samza"`,
		"--runner flink":                    "--endpoint HOST:PORT",
		"--runner prism --memory 1GiB":      "--memory is for runner local",
		"--runner prism --attempts 0":       "--attempts is 0",
		"--attempts 2":                      "--attempts is for other runners",
		"-- --endpoint localhost:1":         "runner local has no flags of its own",
		"--runner prism -- --nothing":       "nothing",
		"--runner prism -- nothing":         `"nothing" is no flag`,
		"surplus --runner prism":            "accepts 2 arg(s), received 3",
		"--runner prism -- --endpoint":      "endpoint",
		"--runner prism --resume -- --help": "help",
	} {
		args := append([]string{"predict", "run", "store", "--out", t.TempDir()}, strings.Fields(text)...)
		if code, _, errs := called(t, args...); code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d: %s expected wrong usage with %q", text, code, errs, want)
		}
	}
}
