package main

import (
	"bytes"
	"os"
	"runtime/debug"
	"strings"
	"testing"
)

func TestList(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Path: "m", Version: "v1"}, Deps: []*debug.Module{
		{Path: "a", Version: "v2"}, {Path: "b", Version: "v3", Replace: &debug.Module{Path: "c", Version: "v4"}}}}
	d := list(info)
	var names []string
	for _, c := range d.Components {
		names = append(names, c.PURL)
	}
	if got := strings.Join(names, " "); got != "pkg:golang/std@go1.26 pkg:golang/a@v2 pkg:golang/c@v4" {
		t.Errorf("the parts are %s", got)
	}
	if d.Metadata.Component.Name != "m" {
		t.Errorf("the list is of %q", d.Metadata.Component.Name)
	}
}

func TestRun(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var a, b bytes.Buffer
	if err := run([]string{program, "1.0"}, &a); err != nil {
		t.Fatal(err)
	}
	if err := run([]string{program, "1.0"}, &b); err != nil || a.String() != b.String() || !strings.Contains(a.String(), `"CycloneDX"`) {
		t.Errorf("%v, %s and then %s", err, &a, &b)
	}
	for _, args := range [][]string{nil, {"missing", "1"}, {"main_test.go", "1"}, {program}} {
		if run(args, &a) == nil {
			t.Errorf("%q is no error", args)
		}
	}
}
