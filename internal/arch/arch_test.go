// Package arch has tests of the repository's structure, such as the order of packages.
package arch

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/ehgnn/ehgnn"

// local returns the folder of a package of the module, "." for the root.
func local(path string) (folder string, ok bool) {
	if path == module {
		return ".", true
	}
	return strings.CutPrefix(path, module+"/")
}

// layers lists the packages from the bottom up, like docs/architecture.md: a package may import
// only packages of earlier lines.
var layers = [][]string{
	{"internal/lists"},
	{"internal/par", "internal/rng", "internal/dedup", "internal/unionfind", "internal/didyoumean", "internal/atomicfile", "internal/memory", "internal/plainyaml", "internal/version", "metric", "internal/report/draw", "internal/cholesky"},
	{"internal/kernel", "internal/safetensors", "internal/tfevents", "internal/linear", "internal/forest", "internal/boost", "internal/columns", "internal/sanitize", "internal/links/rank"},
	{"internal/links"},
	{"internal/links/score"},
	{"tensor", "internal/progress"},
	{"graph", "graph/structure", "optim", "chem"},
	{"nn", "chem/rdkit", "graph/substructure"},
	{"nn/pool", "nn/loss", "internal/tabular"},
	{"data", "data/synth", "internal/links/learn"},
	{"data/schema"},
	{"data/tablefile"},
	{"data/graphfile"},
	{"data/planetoid", "data/tables"},
	{"data/fetch", "data/nodelink", "data/smiles"},
	{"model"},
	{"train", "internal/auto"},
	{"internal/generate/molgan"},
	{"internal/report"},
	{"data/parquet"},
	{"data/convert"},
	{"internal/settings"},
	{"internal/source"},
	{"internal/task"},
	{"internal/session"},
	{"internal/explain", "internal/links/run"},
	{"."},
	{"internal/generate/score"},
	{"internal/generate/operator", "internal/generate/surrogate"},
	{"internal/generate/proposal"},
	{"internal/generate/genetic"},
	{"internal/generate/benchmark"},
	{"internal/generate/mars"},
	{"internal/report/picture"},
	{"internal/report/review"},
	{"internal/sweep"},
	{"internal/experiment"},
	{"cmd/ehgnn/bench", "cmd/ehgnn/early", "cmd/ehgnn/items", "cmd/ehgnn/taskflags"},
	{"cmd/ehgnn/page"},
	{"cmd/ehgnn/serve"},
	{"cmd/ehgnn/cli"},
	{"cmd/ehgnn", "cmd/launch", "bench/links", "bench/peer/columns", "python/keywords", "packaging/image", "packaging/sbom"},
}

// forbidden lists imports that a package must not have although they are in earlier lines.
var forbidden = map[string][]string{
	"tensor":          {"internal/rng", "internal/atomicfile"},
	"optim":           {"nn", "graph"},
	"chem":            {"tensor", "graph"},
	"data":            {"nn", "tensor"},
	"data/fetch":      {"nn", "tensor"},
	"model":           {"data"},
	"train":           {"model", "data"},
	"internal/report": {"model", "train", "tensor"},
	"nn/loss":         {"nn"},
	"data/synth":      {"nn", "model"},
}

// standardOnly are the packages that import only the standard library (and golang.org/x/sys for
// processor features).
var standardOnly = []string{"internal/par", "internal/cholesky", "internal/rng", "internal/linear", "internal/forest", "internal/boost", "internal/columns", "internal/links/rank", "internal/links", "internal/dedup", "internal/unionfind", "internal/didyoumean", "internal/kernel", "internal/atomicfile", "internal/memory",
	"internal/safetensors", "internal/tfevents", "tensor", "graph", "graph/structure", "graph/substructure", "nn", "nn/pool", "nn/loss", "internal/tabular", "optim", "chem", "chem/rdkit",
	"data/synth", "model", "train", "internal/generate/molgan", "metric"}

// tests are the packages that only tests import.
var tests = []string{"internal/inittest", "internal/golden", "internal/parquettest", "internal/realdata", "internal/testserver", "internal/testsets", "internal/arch"}

func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}}: {{join .Imports \" \"}}", module+"/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	level := map[string]int{}
	for i, l := range layers {
		for _, p := range l {
			level[p] = i
		}
	}
	for line := range strings.Lines(string(out)) {
		name, imports, _ := strings.Cut(strings.TrimSpace(line), ":")
		name, _ = local(name)
		if slices.Contains(tests, name) || strings.HasPrefix(name, "examples/") {
			continue
		}
		at, known := level[name]
		if !known {
			t.Errorf("package %s is in no layer: add it here and to docs/architecture.md", name)
			continue
		}
		for _, imp := range strings.Fields(imports) {
			folder, ours := local(imp)
			switch {
			case !ours:
				if slices.Contains(standardOnly, name) && strings.Contains(strings.Split(imp, "/")[0], ".") && path.Dir(imp) != "golang.org/x/sys" {
					t.Errorf("%s imports %s, but the core stays on the standard library", name, imp)
				}
			case slices.Contains(tests, folder):
				t.Errorf("%s imports %s, which is for tests", name, folder)
			case level[folder] >= at:
				t.Errorf("%s imports %s, which is not below it", name, folder)
			case slices.Contains(forbidden[name], folder):
				t.Errorf("%s imports %s, which it must not know", name, folder)
			}
		}
	}
}

// docs/architecture.md has a line for every package, in this order.
func TestLayersDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	line := map[string]int{}
	for i, row := range strings.Split(string(text), "\n") {
		cells := strings.Split(row, " | ")
		if len(cells) < 3 {
			continue
		}
		for _, name := range strings.Split(cells[0], ", ") {
			line[strings.Trim(name, "| `")] = i
		}
	}
	line["."] = line["ehgnn"]
	last := 0
	for _, layer := range layers {
		next := last
		for _, p := range layer {
			if line[p] <= last {
				t.Errorf("docs/architecture.md has no line for package %s below those that it stands on", p)
			}
			next = max(next, line[p])
		}
		last = next
	}
}
