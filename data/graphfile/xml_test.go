package graphfile_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ehgnn/ehgnn/data"
)

func TestGraphML(t *testing.T) {
	const nodeKeys = `<key id="c" for="node" attr.name="colour" attr.type="string"><default>red</default></key>
`
	for _, tt := range []struct {
		name, text string
		want       want
	}{
		{"networkx, several edges of a pair", `<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
  <key id="d5" for="edge" attr.name="label" attr.type="string" />
  <key id="d4" for="edge" attr.name="flag" attr.type="boolean" />
  <key id="d3" for="edge" attr.name="amount" attr.type="double" />
  <key id="d2" for="node" attr.name="n" attr.type="long" />
  <graph edgedefault="directed">
    <node id="a" />
    <node id="b">
      <data key="d2">3</data>
    </node>
    <edge source="a" target="b" id="0">
      <data key="d3">2.5</data>
      <data key="d4">False</data>
      <data key="d5">fraud &amp; more</data>
    </edge>
    <edge source="b" target="a" id="1">
      <data key="d3">1e-07</data>
    </edge>
  </graph>
</graphml>`, want{directed: data.Directed,
			edges: "source|target|id|label|flag|amount\n12: a|b|0|fraud & more|false:boolean|2.5:number\n17: b|a|1|||1e-07:number",
			nodes: "id|n\n8: a|\n9: b|3:whole number"}},
		{"igraph", `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<!-- Created by igraph -->
  <key id="v_name" for="node" attr.name="name" attr.type="string"/>
  <key id="e_w" for="edge" attr.name="w" attr.type="double"/>
  <graph id="G" edgedefault="undirected">
    <node id="n0">
      <data key="v_name">x</data>
    </node>
    <edge source="n0" target="n0">
      <data key="e_w">1</data>
    </edge>
  </graph>
</graphml>`, want{directed: data.Undirected, edges: "source|target|w\n10: n0|n0|1:number", nodes: "id|name\n7: n0|x"}},
		{"yEd", `<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">
<key attr.name="Description" attr.type="string" for="graph" id="d0"/>
<key for="port" id="d1" yfiles.type="portgraphics"/>
<key attr.name="url" attr.type="string" for="node" id="d4"/>
<key for="node" id="d6" yfiles.type="nodegraphics"/>
<key for="graphml" id="d7" yfiles.type="resources"/>
<key for="edge" id="d10" yfiles.type="edgegraphics"/>
<graph edgedefault="directed" id="G">
<data key="d0" xml:space="preserve"/>
<node id="n0"><data key="d6"><y:ShapeNode><y:NodeLabel>Ann</y:NodeLabel></y:ShapeNode></data></node>
<edge id="e0" source="n0" target="n0"><data key="d10"><y:PolyLineEdge/></data></edge>
</graph>
<data key="d7"><y:Resources/></data>
</graphml>`, want{directed: data.Directed, edges: "source|target|id\n11: n0|n0|e0", nodes: "id|url\n10: n0|",
			notes: "graphics and nested values are left out: nodegraphics, edgegraphics"}},
		{"defaults, keys for all, edges first", `<graphml>` + nodeKeys + `<key id="w" attr.name="ID" attr.type="int"><default/></key><key id="u" for="all"/>
<graph edgedefault="undirected"><edge source="1" target="2" directed="true"><data key="w"> 7 </data></edge>
<node id="1"/><node id="2"><data key="c">blue</data></node><edge source="2" target="1" directed="true"/></graph></graphml>`,
			want{directed: data.Directed, edges: "source|target|ID\n3: 1|2|7:whole number\n4: 2|1|", nodes: "id|colour\n4: 1|red\n4: 2|blue"}},
		{"types", `<graphml><key id="f" for="edge" attr.name="f" attr.type="float"/><key id="l" for="edge" attr.name="l" attr.type="long"/><key id="v" for="edge" attr.name="v" attr.type="vector"/>
<graph><edge source="1" target="2"><data key="f">NaN</data><data key="l">99999999999999999999</data><data key="v">[1, 2]</data></edge>
<edge source="1" target="2"><data key="f">-Infinity</data><data key="l">-5</data></edge></graph></graphml>`,
			want{edges: "source|target|f|l|v\n2: 1|2||99999999999999999999:whole number|[1, 2]\n3: 1|2|-Inf:number|-5:whole number|", nodes: "id"}},
		{"Latin-1 and a DTD", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><!DOCTYPE graphml [<!ENTITY a \"b\">]><graphml><graph edgedefault=\"directed\"><node id=\"\xe9\"/></graph></graphml>",
			want{directed: data.Directed, edges: "source|target", nodes: "id\n1: é"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.format = "graphml"
			check(t, "g.graphml", tt.text, tt.want)
		})
	}
}

func TestGraphMLErrors(t *testing.T) {
	key := `<key id="k" for="edge" attr.name="amount" attr.type="int"/>`
	for _, tt := range []struct{ name, text, message string }{
		{"no graph", ``, "1: has no element graph"},
		{"two graphs", "<graph/>\n<graph/>", "2: a second graph; several graphs of one GraphML file are not read, give each a file of its own"},
		{"hyperedge", "<graph><hyperedge/></graph>", "1: a hyperedge; hyperedges are not read"},
		{"nested", `<graph><node id="a"><graph/></node></graph>`, "1: a graph in a node; nested graphs are not read"},
		{"port", `<graph><node id="a"><port name="p"/></node></graph>`, "1: a port of a node; ports are not read"},
		{"end at a port", `<graph><edge source="a" target="b" sourceport="p"/></graph>`, "1: an edge that ends at a port; ports are not read"},
		{"mixed", "<graph edgedefault=\"directed\"><edge source=\"a\" target=\"b\"/>\n<edge source=\"a\" target=\"b\" directed=\"false\"/></graph>",
			"2: an edge that is undirected after edges that are directed; graphs with both are not read"},
		{"direction", `<graph edgedefault="both"/>`, `1: edgedefault is "both", expected directed or undirected`},
		{"direction of an edge", `<graph><edge source="a" target="b" directed="maybe"/></graph>`, `1: directed is "maybe", expected true or false`},
		{"no source", `<graph><edge target="b"/></graph>`, "1: source of an edge is missing"},
		{"no id", `<graph><node/></graph>`, "1: id of a node is missing"},
		{"type", key + "<graph><edge source=\"a\" target=\"b\">\n<data key=\"k\">1.5</data></edge></graph>", `2: amount is "1.5", expected a whole number`},
		{"type of a default", `<key id="k" attr.name="ok" attr.type="boolean"><default>maybe</default></key><graph/>`, `1: default of ok is "maybe", expected true or false`},
		{"unknown key", `<graph><edge source="a" target="b"><data key="k">1</data></edge></graph>`, `1: key "k" is not declared before the graph`},
		{"key twice", key + key + `<graph/>`, `1: key "k" has no id of its own`},
		{"key of others", key + `<graph><node id="a"><data key="k">1</data></node></graph>`, `1: key "k" (amount) is declared for other elements`},
		{"two values", key + `<graph><edge source="a" target="b"><data key="k">1</data><data key="k">2</data></edge></graph>`, "1: amount has two values"},
		{"entity", `<!DOCTYPE x [<!ENTITY a "bbbb">]><graph><node id="&a;"/></graph>`, "1: is no XML: invalid character entity &a;"},
		{"depth", strings.Repeat("<x>", 200), "1: elements are nested more than 100 deep"},
		{"cut", "<graph>\n<node id=\"a\"/>", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, message := "<graphml>"+tt.text+"</graphml>", "g.graphml:"+tt.message
			if tt.name == "cut" {
				text, message = "<graphml>"+tt.text, "g.graphml:2: is no XML: unexpected EOF"
			}
			refuses(t, "g.graphml", text, "graphml", message)
		})
	}
	refuses(t, "g.graphml", "<gexf/>", "graphml", "g.graphml:1: element gexf, expected graphml")
	refuses(t, "g.graphml", "", "graphml", "g.graphml:1: file ends early, expected the end of its first element")
	refuses(t, "g.graphml", "<graphml><graph/></graphml><graphml/>", "graphml", "g.graphml:1: element graphml behind the end, expected nothing")
	refuses(t, "g.graphml", `<?xml version="1.0" encoding="UTF-16"?><graphml/>`, "graphml",
		`g.graphml:1: cannot be read: xml: opening charset "UTF-16": encoding "UTF-16" is not read, expected UTF-8`)
}

func TestGEXF(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       want
	}{
		{"networkx 1.2", `<?xml version='1.0' encoding='utf-8'?>
<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">
  <meta lastmodifieddate="2024-11-25"><creator>NetworkX 3.6.1</creator></meta>
  <graph defaultedgetype="directed" mode="static" name="">
    <attributes mode="static" class="edge">
      <attribute id="1" title="amount" type="double" />
    </attributes>
    <attributes mode="static" class="node">
      <attribute id="0" title="big" type="boolean"><default>true</default></attribute>
    </attributes>
    <nodes>
      <node id="1" label="Ann">
        <attvalues>
          <attvalue for="0" value="False" />
        </attvalues>
      </node>
      <node id="2" label="2" />
    </nodes>
    <edges>
      <edge source="1" target="2" id="0" label="ok" weight="3">
        <attvalues>
          <attvalue for="1" value="2.5" />
        </attvalues>
      </edge>
      <edge source="2" target="1" id="1" />
    </edges>
  </graph>
</gexf>`, want{directed: data.Directed,
			edges: "source|target|id|label|weight|amount\n20: 1|2|0|ok|3:number|2.5:number\n25: 2|1|1||1:number|",
			nodes: "id|label|big\n12: 1|Ann|false:boolean\n17: 2|2|true:boolean"}},
		{"Gephi 1.3", `<?xml version='1.0' encoding='UTF-8'?>
<gexf xmlns="http://gexf.net/1.3" version="1.3" xmlns:viz="http://gexf.net/1.3/viz">
  <graph defaultedgetype="undirected" idtype="string">
    <attributes class="node"><attribute id="Degree" title="Degree" type="integer"><options>[1]</options></attribute></attributes>
    <nodes count="2">
      <node id="a" label="a"><attvalues><attvalue for="Degree" value="1"></attvalue></attvalues>
        <viz:size value="10.0"></viz:size><viz:color r="192" g="192" b="192"></viz:color></node>
      <node id="b" label="b"></node>
    </nodes>
    <edges count="1"><edge source="a" target="b" type="undirected" kind="road"></edge></edges>
  </graph>
</gexf>`, want{directed: data.Undirected, edges: "source|target|kind\n10: a|b|road", nodes: "id|Degree\n6: a|1:whole number\n8: b|",
			notes: "left out: colours, positions, sizes and shapes (viz)"}},
		{"1.1, what changes over time", `<gexf xmlns="http://www.gexf.net/1.1draft" version="1.1"><graph mode="dynamic">
<attributes class="node" mode="dynamic"><attribute id="p" title="price" type="float"/></attributes>
<nodes><node id="a" start="2009"><attvalues><attvalue for="p" value="1" start="2009"/><attvalue for="p" value="2" start="2010"/></attvalues></node></nodes>
<edges><edge id="0" source="a" target="a"><spells><spell start="1"/></spells></edge></edges></graph></gexf>`,
			want{directed: data.Undirected, edges: "source|target|id\n4: a|a|0", nodes: "id\n3: a",
				notes: "left out: times at which nodes, edges and values are there (spells, start, end)"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.format = "gexf"
			check(t, "g.gexf", tt.text, tt.want)
		})
	}
}

func TestGEXFErrors(t *testing.T) {
	declared := `<attributes class="node"><attribute id="0" title="x" type="integer"/></attributes>`
	for _, tt := range []struct{ name, text, message string }{
		{"mutual", `<edges><edge source="a" target="b" type="mutual"/></edges>`, `an edge of type "mutual"; edges that are not directed or undirected are not read`},
		{"mixed", `<edges><edge source="a" target="b"/><edge source="a" target="b" type="directed"/></edges>`, "an edge that is directed after edges that are undirected; graphs with both are not read"},
		{"in a node", `<nodes><node id="a"><nodes/></node></nodes>`, "nodes in a node; hierarchies of nodes are not read"},
		{"of a node", `<nodes><node id="a" pid="b"/></nodes>`, `node "a" is in node "b"; hierarchies of nodes are not read`},
		{"class", `<attributes class="graph"/>`, `attributes of class "graph", expected node or edge`},
		{"undeclared", `<nodes><node id="a"><attvalues><attvalue for="0" value="1"/></attvalues></node></nodes>`, `attribute "0" of class node is not declared before the nodes`},
		{"declared late", `<nodes><node id="a"/></nodes>` + strings.Replace(declared, "0", "1", 1) + `<nodes><node id="a"><attvalues><attvalue for="0" value="1"/></attvalues></node></nodes>`,
			`attribute "0" of class node is not declared before the nodes`},
		{"type", declared + `<nodes><node id="a"><attvalues><attvalue for="0" value="many"/></attvalues></node></nodes>`, `x is "many", expected a whole number`},
		{"two values", declared + `<nodes><node id="a"><attvalues><attvalue for="0" value="1"/><attvalue for="0" value="1"/></attvalues></node></nodes>`, "x has two values"},
		{"time", declared + `<nodes><node id="a"><attvalues><attvalue for="0" value="1" start="2009"/></attvalues></node></nodes>`, "x has a value for a time, but its attributes are not dynamic"},
		{"weight", `<edges><edge source="a" target="b" weight="0x1"/></edges>`, `weight of an edge is "0x1", expected a number`},
		{"no target", `<edges><edge source="a"/></edges>`, "target of an edge is missing"},
		{"no id", `<nodes><node/></nodes>`, "id of a node is missing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			refuses(t, "g.gexf", "<gexf><graph>"+tt.text+"</graph></gexf>", "gexf", "g.gexf:1: "+tt.message)
		})
	}
	refuses(t, "g.gexf", "<gexf><graph/><graph/></gexf>", "gexf", "g.gexf:1: a second graph; several graphs of one GEXF file are not read, give each a file of its own")
	refuses(t, "g.gexf", "<gexf/>", "gexf", "g.gexf:1: has no element graph")
}

// TestXMLMemory checks that what XML takes is bounded by the budget.
func TestXMLMemory(t *testing.T) {
	row := `<node id="a"/>`
	for _, tt := range []struct{ name, text string }{
		{"rows", strings.Repeat(row, 1<<17)},
		{"a token", `<node id="` + strings.Repeat("a", 1<<20) + `"/>`},
		{"a text in pieces", `<node id="a"><data key="k">` + strings.Repeat("a<!-- -->", 1<<17) + `</data></node>`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := write(t, "g.graphml", `<graphml><key id="k" for="node"/><graph>`+tt.text+`</graph></graphml>`)
			if err := readAll(path, "graphml", data.NewBudget(8<<20)); !errors.Is(err, data.ErrTooLarge) {
				t.Errorf("error %v, expected one that is ErrTooLarge", err)
			}
			if err := readAll(path, "graphml", data.NewBudget(0)); err != nil {
				t.Errorf("with more memory: %v", err)
			}
		})
	}
}
