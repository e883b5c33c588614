package tensor_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// opCases is the table of every differentiable operation.
func opCases() []opCase {
	return slices.Concat(elementwiseCases(), reduceCases(), normCases(), batchNormCases(), layoutCases(), productCases(), sparseCases(), twoHopCases(), headsCases(), spgemmCases(), segmentCases(), edgeMessagesCases(), neighbourMaxCases(), edgeScoresCases(), checkpointRowsCases())
}

// TestOps compares the value, gradient and second gradient of every operation with
// its definition.
func TestOps(t *testing.T) {
	for _, c := range opCases() {
		t.Run(c.op+"/"+c.name, func(t *testing.T) { c.check(t) })
	}
}

// notOps return tensors but compute nothing of their own.
var notOps = map[string]string{
	"New": "constructor", "FromSlice": "constructor", "Scalar": "constructor", "Full": "constructor", "Outline": "constructor",
	"Tape.Full": "constructor", "Tape.New": "constructor", "SparseRows": "constructor", "Reweigh": "of constants alone", "Distinct": "of constants alone", "Repeated": "accessor", "Tape.Like": "constructor", "Clone": "constant copy", "Detach": "constant view", "Dense": "constant view",
	"Tape.Watched": "leaf", "Tape.Watch": "leaf", "Tape.Variable": "leaf", "Tape.Constant": "leaf", "Tape.Bind": "leaf",
	"Tape.Grad": "gradient", "back.Into": "gradient", "Tape.GradGraph": "gradient",
	"ExactSum": "without a gradient",
}

// exportedOps lists the exported functions and methods of the package that
// return tensors: methods of Tensor by their name alone, others as Type.Name.
func exportedOps(t *testing.T) []string {
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
			if !ok || !f.Name.IsExported() || !returnsTensor(f) {
				continue
			}
			name := f.Name.Name
			if f.Recv != nil {
				if r := typeName(f.Recv.List[0].Type); r != "Tensor" {
					name = r + "." + name
				}
			}
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func returnsTensor(f *ast.FuncDecl) bool {
	if f.Type.Results == nil {
		return false
	}
	for _, r := range f.Type.Results.List {
		if typeName(r.Type) == "Tensor" {
			return true
		}
	}
	return false
}

// typeName is the name below pointers and slices.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.ArrayType:
		return typeName(e.Elt)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// TestOpsComplete fails when an operation is added without a case in each of
// the tables.
func TestOpsComplete(t *testing.T) {
	exported := exportedOps(t)
	if len(exported) < 50 {
		t.Fatalf("found only %d operations: %v", len(exported), exported)
	}
	tables := map[string]map[string]bool{"gradients": {}, "shape errors": {}, "threads": {}}
	for _, c := range opCases() {
		tables["gradients"][c.op] = true
	}
	for _, c := range shapeErrorCases() {
		tables["shape errors"][c.op] = true
	}
	for op := range noShapeErrors {
		tables["shape errors"][op] = true
	}
	for _, c := range largeCases() {
		tables["threads"][c.op] = true
	}
	for table, has := range tables {
		for _, op := range exported {
			if notOps[op] == "" && !has[op] {
				t.Errorf("%s has no case in the table of %s", op, table)
			}
		}
		for op := range has {
			if !slices.Contains(exported, op) {
				t.Errorf("the table of %s has a case of %s, which the package does not export", table, op)
			}
		}
	}
	for op := range notOps {
		if !slices.Contains(exported, op) {
			t.Errorf("%s is exempt, but the package does not export it", op)
		}
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
