package nodelink_test

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/ehgnn/ehgnn/data/nodelink"
)

// wide is a text in UTF-16, as PowerShell writes it.
func wide(text string) string {
	out := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(text)) {
		out = binary.LittleEndian.AppendUint16(out, u)
	}
	return string(out)
}

// A text in UTF-16, with a mark of its order or without, is read as one in UTF-8.
func TestWide(t *testing.T) {
	const text = `{"nodes":[{"id":"ä","a":1},{"id":"😀","a":NaN}],"edges":[{"source":"ä","target":"😀"}]}` + "\r\n"
	want := read(t, text, nodelink.Options{})
	for name, text := range map[string]string{"with a mark": wide(text), "without": wide(text)[2:]} {
		got := read(t, text, nodelink.Options{})
		if strings.Join(got.NodeIDs, " ") != strings.Join(want.NodeIDs, " ") || len(got.Ends) != 2 || columnText(got.NodeColumns...) != columnText(want.NodeColumns...) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
		if got, err := documents(strings.NewReader(text)); len(got) != 1 || err != nil {
			t.Errorf("%s: documents %q (%v)", name, got, err)
		}
	}
}

// JSON of other forms is refused with what was expected, and how it becomes that.
func TestUnlike(t *testing.T) {
	const lists = `expected the lists "nodes" and "edges" (or "links") in a document, found `
	for name, test := range map[string]struct{ text, want string }{
		"records":          {`[{"source":1,"target":2},{"source":2,"target":3}]`, `x.json:1: document 1: ` + lists + `a record of an edge; in Python pandas.DataFrame(records).to_csv("edges.csv", index=False)`},
		"other records":    {`[{"payer":1,"payee":2,"a":1,"b":2,"c":3,"d":4}]`, lists + `"payer", "payee", "a", "b", "c", ...; in Python pandas.DataFrame(records)`},
		"columns":          {`{"payer":{"0":1},"payee":{"0":2}}`, lists + `"payer", "payee" as objects; in Python pandas.read_json("FILE").to_json("edges.jsonl", orient="records", lines=True)`},
		"an answer":        {`{"data":[{"a":{}}],"next":null}`, lists + `"data"; if it is a list of records, python -c "import json; json.dump(json.load(open('FILE'))['data'], open('edges.json', 'w'))" takes it out`},
		"a split frame":    {`{"columns":["payer"],"index":[0],"data":[[1]]}`, lists + `"columns" and "data"; in Python pandas.read_json("FILE", orient="split")`},
		"lists":            {`[[1,2],[2,3]]`, `expected a document {"nodes": ..., "edges": ...}, found a list; in Python pandas.DataFrame(records)`},
		"GeoJSON":          {`{"type":"FeatureCollection","features":[]}`, lists + "GeoJSON"},
		"Cytoscape":        {`{"elements":{"nodes":[],"edges":[]}}`, lists + `"elements", as Cytoscape writes`},
		"a tree":           {`{"name":"a","children":[{"name":"b"}]}`, lists + `a tree of "children"`},
		"adjacency":        {`{"nodes":[{"id":1}],"adjacency":[[]]}`, lists + `"adjacency"; in Python networkx.adjacency_graph`},
		"GraphSON":         {`{"graph":{"mode":"NORMAL","vertices":[{"_id":1}],"edges":[]}}`, lists + `"vertices", as in GraphSON`},
		"JSON-LD":          {`{"@context":"x","@graph":[{"@id":"a"}]}`, lists + `JSON-LD; in Python rdflib.Graph()`},
		"JGF":              {`{"graph":{"nodes":{"a":{}},"edges":[{"source":"a","target":"a"}]}}`, lists + `them in "graph", as in the JSON Graph Format`},
		"neighbours":       {`{"a":["b"],"b":["a","c"]}`, lists + `lists of texts, such as lists of neighbours; in Python networkx.node_link_data(networkx.from_dict_of_lists(`},
		"columns of texts": {`{"payer":["x"],"payee":["y"]}`, lists + `"payer", "payee" as objects`},
		"vis.js":           {`{"nodes":[{"id":1}],"edges":[{"from":1,"to":1}]}`, `expected a source and a target, found "from" and "to"`},
		"nodes alone":      {`{"nodes":[{"id":1}]}`, `found only "nodes"`},
		"links alone":      {`{"links":[]}`, `found only "links"`},
		"nothing":          {`{}`, lists + "neither"},

		"infinite":              {`{"nodes":[{"id":1},{"id":2,"a":Infinity}],"edges":[]}`, `x.json:1: document 1, node 2: attribute "a" is Infinity, expected a finite number, or null for a missing value`},
		"below all":             {`{"nodes":[{"id":1}],"edges":[{"source":1,"target":1,"w":-Infinity}]}`, `x.json:1: document 1, edge 1: attribute "w" is -Infinity, expected a finite number`},
		"in a list":             {"{\"nodes\":[{\"id\":1,\n\"a\":[1,-Infinity]}],\"edges\":[]}", `x.json:2: document 1, node 1: attribute "a" has -Infinity, expected finite numbers`},
		"of the graph":          {`{"graph":{"y":Infinity},"nodes":[],"edges":[]}`, `document 1: attribute "y" is Infinity`},
		"as an id":              {`{"nodes":[{"id":Infinity}],"edges":[]}`, `document 1, node 1: id is Infinity, expected a string`},
		"in an id":              {`{"nodes":[{"id":[1,Infinity]}],"edges":[]}`, `document 1, node 1: id has Infinity in a list`},
		"nearly infinite":       {`{"nodes":[{"id":1,"a":Infinite}],"edges":[]}`, "is not JSON: invalid character 'I'"},
		"a string for a number": {`{"nodes":[{"id":0},{"id":1}],"edges":[{"source":"0","target":1}]}`, `edge 1: source is "0", which is not a node of the document: it is a string, but the ids of nodes are numbers, such as 0`},
		"a number for a string": {`{"nodes":[{"id":"0"}],"edges":[{"source":"0","target":0.0}]}`, `edge 1: target is 0, which is not a node of the document: it is a number, but the ids of nodes are strings, such as "0"`},
		"infinite in text":      {`{"nodes":[{"id":1}],"edges":[{"source":1,"target":"Infinity"}]}`, `target is "Infinity", which is not a node`},
	} {
		_, err := nodelink.Read(strings.NewReader(test.text), "x.json", nodelink.Options{})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, test.want)
		}
	}
	if s := read(t, `{"nodes":[{"id":1,"a":"Infinity"},{"id":2,"a":"NaN"}],"edges":[]}`, nodelink.Options{}); columnText(s.NodeColumns...) != "a: Infinity -; " {
		t.Errorf("columns %q", columnText(s.NodeColumns...))
	}
}

// FuzzDocuments reads any text document by document.
func FuzzDocuments(f *testing.F) {
	f.Add("{\"nodes\":[],\"edges\":[]}\n{\"nodes\":[}\n{\"nodes\":3}\n[\n{")
	f.Add("[{\"nodes\":[],\"edges\":[]},\n3,{}]")
	f.Add("{\n\"nodes\": [\n{\n\"id\": 1\n}\n],\n\"links\": []}\n\n{\"nodes\":[],\"edges\":[]}{")
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for d, err := range nodelink.Documents(strings.NewReader(text), "x", nodelink.Options{MaxMemory: 1 << 16}) {
			if d == nil || d.Number < last || d.Number == last && err == nil || d.Number == 0 && err == nil {
				t.Fatalf("document %+v (%v) behind number %d", d, err, last)
			}
			last = d.Number
		}
	})
}
