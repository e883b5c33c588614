package arch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// licencesOf matches the list of the modules in the program, with their licences.
var licencesOf = regexp.MustCompile(`(?s)<!-- licences: written by make licences -->\n.*?<!-- end -->\n`)

// marks are phrases of licences. The first phrase that a text contains names its licence.
var marks = []struct{ words, name string }{
	{"Mozilla Public License", "MPL 2.0"},
	{"Creative Commons Attribution 4.0", "CC BY 4.0"},
	{"The FreeType License", "FreeType or GPL 2"},
	{"Apache License", "Apache 2.0"},
	{"Neither the name", "BSD 3-Clause"},
	{"Redistributions in binary form", "BSD 2-Clause"},
	{"Permission is hereby granted, free of charge", "MIT"},
	{"Permission to use, copy, modify", "ISC"},
}

// licence returns the name of the licence of the module in a folder.
func licence(dir string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "[Ll][Ii][Cc][Ee][Nn][SsCc]*"))
	if err != nil {
		return "", err
	}
	copying, err := filepath.Glob(filepath.Join(dir, "COPYING*"))
	var names []string
	for _, file := range append(files, copying...) {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // a folder of licences
		}
		for _, m := range marks {
			if strings.Contains(strings.Join(strings.Fields(string(text)), " "), m.words) {
				names = append(names, m.name)
				break
			}
		}
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) == 0 {
		return "", fmt.Errorf("no licence in %s", dir)
	}
	return strings.Join(names, ", "), err
}

// docs/dependencies.md lists every module in the program with its licence. -update writes the list.
func TestLicences(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}", "./cmd/ehgnn")
	list.Dir = filepath.Join("..", "..")
	list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(lines)
	var b strings.Builder
	b.WriteString("<!-- licences: written by make licences -->\n| module | licence |\n| --- | --- |\n")
	for _, line := range slices.Compact(lines) {
		module, dir, _ := strings.Cut(line, " ")
		name, err := licence(dir)
		if err != nil {
			t.Error(err)
		}
		fmt.Fprintf(&b, "| %s | %s |\n", module, name)
	}
	b.WriteString("<!-- end -->\n")
	path := filepath.Join("..", "..", "docs", "dependencies.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	have := licencesOf.Find(text)
	switch {
	case have == nil:
		t.Fatal("docs/dependencies.md has no place for the list of licences")
	case string(have) == b.String():
	case *update:
		if err := os.WriteFile(path, licencesOf.ReplaceAllLiteral(text, []byte(b.String())), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Error("docs/dependencies.md has other modules or licences than the program; make licences writes them")
	}
}
