//go:build linux

package main

import "fmt"

// inputTU reads damaged TU folders.
var inputTU = scenario{
	name:  "input/tu",
	about: "TU folders with odd numbers, wrong counts, missing files, long lines and other encodings",
	share: 1, quick: 12,
	trial: func(t *trial) {
		t.takes("TOY")
		if t.IntN(4) == 0 {
			t.write("data/TOY/TOY_node_attributes.txt", []byte(pick(t, "0.5\n", "1e39,2\n", "nan\n", t.odd()+"\n")))
		}
		for range 1 + t.IntN(2) {
			name := "data/TOY/TOY_" + pick(t, "A", "graph_indicator", "graph_labels", "node_labels", "edge_labels") + ".txt"
			t.write(name, t.spoiled(t.read(name)))
		}
		if t.IntN(10) == 0 {
			t.write("data/TOY/TOY_graph_indicator.txt", []byte(fmt.Sprintf("1\n%s\n", pick(t, numbers...))))
		}
		t.reads("data/TOY")
	},
}

// inputDGCNN reads damaged DGCNN texts.
var inputDGCNN = scenario{
	name:  "input/dgcnn",
	about: "DGCNN texts with odd numbers, wrong counts and endless lists",
	share: 1, quick: 8,
	trial: func(t *trial) {
		t.takes("dgcnn")
		t.write("data/dgcnn/DG.txt", t.spoiled(t.read("data/dgcnn/DG.txt")))
		t.reads("data/dgcnn")
	},
}

// inputOGB reads damaged OGB folders.
var inputOGB = scenario{
	name:  "input/ogb",
	about: "OGB folders with odd numbers, wrong counts and missing files",
	share: 1, quick: 8,
	trial: func(t *trial) {
		t.takes("ogb")
		for range 1 + t.IntN(2) {
			name := "data/ogb/" + pick(t, "raw/num-node-list.csv", "raw/num-edge-list.csv", "raw/node-feat.csv", "raw/edge.csv", "raw/edge-feat.csv", "raw/graph-label.csv",
				"split/scaffold/train.csv", "split/scaffold/valid.csv", "mapping/mol.csv")
			t.write(name, t.spoiled(t.read(name)))
		}
		t.reads("data/ogb")
	},
}

// inputPlanetoid reads damaged pickles.
var inputPlanetoid = scenario{
	name:  "input/planetoid",
	about: "pickles with flipped bytes, wrong lengths and instructions without end",
	share: 1, quick: 8,
	trial: func(t *trial) {
		t.takes("planetoid")
		name := "data/planetoid/ind.tiny." + pick(t, "x", "y", "tx", "ty", "allx", "ally", "graph", "test.index")
		text := t.read(name)
		switch t.IntN(4) {
		case 0:
			// Lists, marks and memos that grow.
			text = []byte("\x80\x02" + t.nested(pick(t, "(", "]", "}", "(l", "(d", "2", "]q\x00", "\x8a\xff", "T\xff\xff\xff\x7f", "cos\nsystem\n(S'true'\ntR"), "e", 1<<t.IntN(21)) + ".")
		default:
			text = t.spoiled(text)
		}
		t.write(name, text)
		t.reads("data/planetoid")
	},
}
