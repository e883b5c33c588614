package arch

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the rules of .golangci.yml from the table of layers")

// The lines of .golangci.yml around the rules of depguard.
const (
	rulesBegin = "      # begin: written by go test ./internal/arch -update\n"
	rulesEnd   = "      # end\n"
)

// The rules of depguard in golangci-lint, which editors show, come from the same table of layers as
// TestImports.
func TestDepguard(t *testing.T) {
	file := filepath.Join("..", "..", ".golangci.yml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), rulesBegin)
	_, after, ends := strings.Cut(rest, rulesEnd)
	if !begins || !ends {
		t.Fatalf(".golangci.yml has no lines %q and %q", rulesBegin, rulesEnd)
	}
	want := before + rulesBegin + depguard() + rulesEnd + after
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(text) != want {
		t.Error(".golangci.yml is not what the table of layers says; go test ./internal/arch -update writes it")
	}
}

// depguard returns the rules as YAML: for each layer a rule that denies the module and allows the
// packages below; a rule for each forbidden import below; a rule for test packages; a rule for the
// core.
func depguard() string {
	var b strings.Builder
	b.WriteString("      rules:\n")
	var below []string
	for _, layer := range layers {
		name := strings.NewReplacer("/", "-", ".", "root").Replace(layer[0])
		writeRule(&b, name, "lax", files("", layer), []string{module}, "not below this package: see internal/arch", prefixes(below))
		below = append(below, layer...)
	}
	for _, name := range slices.Sorted(maps.Keys(forbidden)) {
		writeRule(&b, "forbidden-"+strings.ReplaceAll(name, "/", "-"), "lax", files("", []string{name}), exact(forbidden[name]), "this package must not know it", nil)
	}
	writeRule(&b, "tests", "lax", append([]string{"$all"}, files("!", tests)...), exact(tests), "for tests only", nil)
	writeRule(&b, "core", "strict", files("", standardOnly), nil, "", []string{"$gostd", module, "golang.org/x/sys"})
	return b.String()
}

// files returns patterns that match the files of folders, with a sign before them.
func files(sign string, folders []string) []string {
	list := make([]string, len(folders))
	for i, f := range folders {
		list[i] = sign + path.Join("${config-path}", f, "*.go")
	}
	return list
}

// writeRule writes a rule for files that are no tests.
func writeRule(b *strings.Builder, name, mode string, files, deny []string, why string, allow []string) {
	fmt.Fprintf(b, "        %s:\n          list-mode: %s\n", name, mode)
	writeList(b, "files", append(files, "!$test"))
	if len(deny) > 0 {
		b.WriteString("          deny:\n")
	}
	for _, p := range deny {
		fmt.Fprintf(b, "            - {pkg: %s, desc: %q}\n", p, why)
	}
	if len(allow) > 0 {
		writeList(b, "allow", allow)
	}
}

// writeList writes a list in lines of at most 120 columns.
func writeList(b *strings.Builder, key string, list []string) {
	line := "          " + key + ": ["
	for i, item := range list {
		item = strconv.Quote(item) + ","
		if i == len(list)-1 {
			item = strings.TrimSuffix(item, ",") + "]"
		}
		if len(line)+len(item) > 118 {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line = "            "
		}
		line += item + " "
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}

// exact returns patterns that match these packages but not folders in them.
func exact(folders []string) []string {
	list := make([]string, len(folders))
	for i, f := range folders {
		list[i] = path.Join(module, f) + "$"
	}
	return list
}

// prefixes returns the fewest path prefixes that match the packages of these folders and no other
// package of the layers.
func prefixes(folders []string) []string {
	var list []string
	for _, f := range folders {
		list = append(list, prefixOf(f, folders))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// prefixOf returns the shortest prefix of a package's path that only packages of folders have.
func prefixOf(folder string, folders []string) string {
	parts := strings.Split(folder, "/")
	for n := 1; n <= len(parts) && folder != "."; n++ {
		prefix := strings.Join(parts[:n], "/")
		others := slices.DeleteFunc(slices.Concat(layers...), func(p string) bool {
			return !strings.HasPrefix(p, prefix) || slices.Contains(folders, p)
		})
		if len(others) == 0 {
			return path.Join(module, prefix)
		}
	}
	return path.Join(module, folder) + "$"
}
