package kernel

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// exportedFuncs lists the exported functions, and methods as Type.Name, of all
// files of the package, whatever their build tags.
func exportedFuncs(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() {
				continue
			}
			name := f.Name.Name
			if f.Recv != nil {
				of := f.Recv.List[0].Type
				if p, ok := of.(*ast.StarExpr); ok {
					of = p.X
				}
				id, ok := of.(*ast.Ident)
				if !ok || !id.IsExported() {
					continue
				}
				name = id.Name + "." + name
			}
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// TestFuzzComplete fails when a kernel is added without a fuzz target.
func TestFuzzComplete(t *testing.T) {
	exported := exportedFuncs(t)
	if len(exported) < 20 {
		t.Fatalf("found only %d functions: %v", len(exported), exported)
	}
	for _, name := range exported {
		if targets[name] == nil && notKernels[name] == "" {
			t.Errorf("%s has no fuzz target", name)
		}
	}
	for name := range targets {
		if !slices.Contains(exported, name) {
			t.Errorf("%s has a fuzz target, but the package does not export it", name)
		}
	}
	for name := range notKernels {
		if !slices.Contains(exported, name) {
			t.Errorf("%s is exempt, but the package does not export it", name)
		}
	}
}

// TestFuzzOps fails when an operation is added for which the targets, which draw operations by
// number, have no oracle.
func TestFuzzOps(t *testing.T) {
	if n := len(genericLoops.unary); n != len(unaryOracle) {
		t.Errorf("%d unary operations, but %d oracles", n, len(unaryOracle))
	}
	for i, o := range unaryOracle {
		if int(o.op) != i {
			t.Errorf("oracle %d is of operation %d", i, o.op)
		}
	}
	if n := len(genericLoops.scalar); n != len(binaryOracle) {
		t.Errorf("%d binary operations, but %d oracles", n, len(binaryOracle))
	}
}
