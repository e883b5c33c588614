package sanitize

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The list of packages has exactly the packages of the main module whose errors begin with their
// name.
func TestPackages(t *testing.T) {
	declared, begins := regexp.MustCompile(`(?m)^package (\w+)`), regexp.MustCompile(`\b(?:Errorf|New)\("(\w+): `)
	var found []string
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && entry.Name() != ".." || slices.Contains([]string{"testdata", "scale", "test", "tools", "bench", "examples"}, entry.Name())):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name := string(declared.FindSubmatch(text)[1])
		for _, m := range begins.FindAllSubmatch(text, -1) {
			if string(m[1]) == name && name != "ehgnn" && !slices.Contains(found, name) {
				found = append(found, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range found {
		if !slices.Contains(packages, name) {
			t.Errorf("errors of package %s begin with its name, which packages lacks", name)
		}
	}
	for _, name := range packages {
		if !slices.Contains(found, name) {
			t.Errorf("packages has %s, and no error of such a package begins with it", name)
		}
	}
}
