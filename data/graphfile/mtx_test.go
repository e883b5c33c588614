package graphfile_test

import (
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/graphfile"
)

func TestMTX(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       want
	}{
		{"SciPy, whole numbers", "%%MatrixMarket matrix coordinate integer general\n%\n3 3 2\n1 2 1\n2 3 -2\n",
			want{directed: data.Directed, edges: "source|target|weight\n4: 1:whole number|2:whole number|1:whole number\n5: 2:whole number|3:whole number|-2:whole number"}},
		{"symmetric", "%%MatrixMarket matrix coordinate real symmetric\n% a comment\n\n3 3 1\n\n2 1 1.5e0\n",
			want{directed: data.Undirected, edges: "source|target|weight\n6: 2:whole number|1:whole number|1.5:number"}},
		{"pattern, one %, capitals", "%MatrixMarket MATRIX Coordinate Pattern Symmetric\n3 3 1\n3 1\n",
			want{directed: data.Undirected, edges: "source|target\n3: 3:whole number|1:whole number"}},
		{"rectangular", "%%MatrixMarket matrix coordinate real general\n2 5 1\n1 4 1\n",
			want{edges: "source|target|weight\n3: r1|c4|1:number", notes: "sources and targets are different nodes with equal numbers; their ids get r and c before the number"}},
		{"skew-symmetric", "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 1\n",
			want{directed: data.Directed, edges: "source|target|weight\n3: 2:whole number|1:whole number|1:number",
				notes: "is skew-symmetric and stores one of the two entries of a pair of nodes, which differ; the edges are those stored, with their direction"}},
		{"Hermitian", "%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 0 -1\n",
			want{directed: data.Directed, edges: "source|target|real|imaginary\n3: 2:whole number|1:whole number|0:number|-1:number",
				notes: "is hermitian and stores one of the two entries of a pair of nodes, which differ; the edges are those stored, with their direction"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.format = "mtx"
			check(t, "m.mtx", tt.text, tt.want)
		})
	}
	g, err := graphfile.Open(write(t, "m.mtx", "%%MatrixMarket matrix coordinate pattern general\n9 9 7\n"), "", data.NewBudget(0))
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if n, ok := g.Edges.Total(); n != 7 || !ok {
		t.Errorf("Total is %d, %v, expected 7", n, ok)
	}
}

func TestMTXErrors(t *testing.T) {
	const head = "%%MatrixMarket matrix coordinate real general\n"
	for _, tt := range []struct{ name, text, message string }{
		{"empty", "", "1: is no header of the Matrix Market, expected %%MatrixMarket matrix coordinate FIELD SYMMETRY"},
		{"array", "%%MatrixMarket matrix array real general\n2 2\n", `1: is a dense matrix (array), which is not read; convert it: python -c "import scipy.io, scipy.sparse; scipy.io.mmwrite('m.sparse.mtx', scipy.sparse.coo_matrix(scipy.io.mmread('m.mtx')))"`},
		{"field", "%%MatrixMarket matrix coordinate quaternion general\n", `1: has "quaternion" in the header, expected one of real, double, integer, unsigned-integer, complex, pattern`},
		{"no sizes", head + "% end\n", "2: file ends early, expected a line with the numbers of rows, columns and entries"},
		{"two sizes", head + "3 3\n", "2: number of sizes is 2, expected rows, columns and entries"},
		{"size", head + "3 3 -1\n", `2: size "-1" is no whole number from 0`},
		{"not square", "%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n", "2: a matrix of 2 rows and 3 columns is called symmetric, expected as many rows as columns"},
		{"too few", head + "3 3 2\n1 1 1\n", "3: file ends after 1 entries, expected 2 as the line of sizes says"},
		{"too many", head + "3 3 1\n1 1 1\n1 2 1\n", "4: has an entry more than the 1 of the line of sizes"},
		{"from 0", head + "3 3 1\n0 1 1\n", `3: row "0", expected 1 to 3`},
		{"beyond", head + "3 3 1\n1 4 1\n", `3: column "4", expected 1 to 3`},
		{"no value", head + "3 3 1\n1 1\n", "3: number of values is 2, expected 3 of a real matrix"},
		{"more values", head + "3 3 1\n1 1 1 1\n", "3: has more than 3 values, as a real matrix has"},
		{"value", head + "3 3 1\n1 1 x\n", `3: value "x", expected a number of a matrix of kind real`},
		{"a fraction", "%%MatrixMarket matrix coordinate integer general\n3 3 1\n1 1 1.5\n", `3: value "1.5", expected a number of a matrix of kind integer`},
	} {
		t.Run(tt.name, func(t *testing.T) { refuses(t, "m.mtx", tt.text, "mtx", "m.mtx:"+tt.message) })
	}
}
