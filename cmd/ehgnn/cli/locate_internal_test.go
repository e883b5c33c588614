package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every command finds data by the same rules: a path before names, and the catalogue before other
// things with that name in the data folder. If nothing is found, the commands differ on purpose.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"tu/MUTAG.zip", "dgcnn/MUTAG.zip", "mutag/x", "mine/x", "zinc12k/train.zip",
		"planetoid/ind.cora.x", "planetoid/ind.cora.y", "planetoid/ind.cora.tx", "planetoid/ind.cora.ty",
		"planetoid/ind.cora.allx", "planetoid/ind.cora.ally", "planetoid/ind.cora.graph", "planetoid/ind.cora.test.index", "cora.zip"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	a := &app{dataDir: dir}
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for name, want := range map[string]location{
		"MUTAG":    {Name: "MUTAG", Path: at("tu/MUTAG.zip")},
		"mutag":    {Name: "MUTAG", Path: at("tu/MUTAG.zip")},
		"Cora":     {Name: "cora", Path: at("planetoid"), Set: "cora"},
		"mine":     {Path: at("mine")},
		"zinc":     {Path: at("zinc12k")},
		at("mine"): {Path: at("mine")},
		dir:        {Path: dir},
	} {
		for verb, find := range map[string]func(string) (location, error){"column": a.column, "known": a.locate} {
			got, err := find(name)
			if err != nil || got.Name != want.Name || got.Path != want.Path || got.Set != want.Set {
				t.Errorf("%s(%q) = %+v, %v; want %+v", verb, name, got, err, want)
			}
		}
	}
	for _, name := range []string{"PROTEINS", "hiv"} { // in the catalogue, but not in the folder
		for verb, find := range map[string]func(string) (location, error){"column": a.column, "known": a.locate} {
			if _, err := find(name); err == nil || exitCode(err) != ExitUsage || !strings.Contains(err.Error(), "ehgnn data fetch ") {
				t.Errorf("%s(%q): %v", verb, name, err)
			}
		}
	}
	if _, err := a.column("nothing"); err == nil || exitCode(err) != ExitUsage || !strings.HasPrefix(err.Error(), `no data set "nothing"`) {
		t.Errorf("column of nothing: %v", err)
	}
	for verb, find := range map[string]func(string) (location, error){"column": a.column, "known": a.locate} {
		if _, err := find("MUTGA"); err == nil || exitCode(err) != ExitUsage || !strings.Contains(err.Error(), `no data set "MUTGA"`) ||
			!strings.Contains(err.Error(), `did you mean "MUTAG"?`) {
			t.Errorf("%s(MUTGA): %v", verb, err)
		}
	}
	if c, err := a.locate("nothing"); err != nil || c.Path != "nothing" {
		t.Errorf("known of nothing is %+v, %v, want the path for its reader to complain of", c, err)
	}
}
