package graphfile_test

import (
	"testing"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/graphfile"
)

// fuzz reads texts as a format, which must end with rows or an error within a small budget.
func fuzz(f *testing.F, format, name string, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		path := write(t, name, string(text))
		err := readAll(path, format, data.NewBudget(16<<20))
		recognised, ok := graphfile.Recognise(path)
		if refused := graphfile.Refuse(path); ok && recognised == format && err == nil && format == graphfile.EdgeList && refused != nil {
			t.Errorf("is read and refused: %v", refused)
		}
	})
}

func FuzzGraphML(f *testing.F) {
	fuzz(f, graphfile.GraphML, "g.graphml",
		`<graphml><key id="d" for="edge" attr.name="w" attr.type="double"><default>1</default></key><graph edgedefault="directed"><node id="a"/><edge source="a" target="a" id="e"><data key="d">2</data></edge></graph></graphml>`,
		`<graphml><key for="node" id="d6" yfiles.type="nodegraphics"/><graph><node id="n"><data key="d6"><y:x>1</y:x></data></node></graph></graphml>`,
		`<?xml version="1.0" encoding="latin1"?><!DOCTYPE g [<!ENTITY a "b">]><graphml><graph><node id="&amp;"/></graph></graphml>`)
}

func FuzzGEXF(f *testing.F) {
	fuzz(f, graphfile.GEXF, "g.gexf",
		`<gexf><graph defaultedgetype="directed"><attributes class="node"><attribute id="0" title="x" type="integer"><default>1</default></attribute></attributes><nodes><node id="a" label="b"><attvalues><attvalue for="0" value="2"/></attvalues></node></nodes><edges><edge id="0" source="a" target="a" weight="2" kind="k"/></edges></graph></gexf>`,
		`<gexf><graph mode="dynamic"><attributes class="edge" mode="dynamic"><attribute id="0"/></attributes><edges><edge source="a" target="b" start="1"><spells/></edge></edges></graph></gexf>`)
}

func FuzzMTX(f *testing.F) {
	fuzz(f, graphfile.MTX, "m.mtx",
		"%%MatrixMarket matrix coordinate real general\n%\n3 3 1\n1 2 1.5\n",
		"%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 0 -1\n",
		"%MatrixMarket matrix coordinate pattern general\n2 9 1\n2 9\n")
}

func FuzzEdgeList(f *testing.F) {
	fuzz(f, graphfile.EdgeList, "e.edges",
		"# Directed graph\n# FromNodeId\tToNodeId\n1\t2\n", "% bip weighted\n1 2\t3 1082008561\n", "1,2,3\n", "a b {}\n", "1::2::3\n", "1 2 {'a': 1}\n")
}

func FuzzTriples(f *testing.F) {
	fuzz(f, graphfile.Triples, "t.txt",
		"a\tr\tb\nb\tr\ta\n", "<a> <r> \"x\" .\n<a> <r> _:b .\n", "a\tr\tb\t2014-01-01\nb\tr\ta\t2014-01-02\n", "1\t0\t2\n3\t0\t4\n")
}
