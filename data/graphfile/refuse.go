package graphfile

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/ehgnn/ehgnn/data"
)

// refused is a known format that is not read.
type refused struct {
	name    string // for messages
	content *regexp.Regexp
	endings []string
	// convert is a line that converts FILE to a file whose name begins with NAME.
	convert string
	python  bool // convert is a line of Python
}

func networkX(read string) string {
	return "import networkx as nx; nx.write_graphml(nx." + read + "('FILE'), 'NAME.graphml')"
}

// adjacency, dicts and openKE are recognised by their lines.
var (
	adjacency = refused{name: "an adjacency list", convert: networkX("read_adjlist"), python: true}
	dicts     = refused{name: "an edge list with attributes as Python writes them", convert: networkX("read_edgelist"), python: true}
	openKE    = refused{name: "a file of OpenKE with numbers instead of names",
		convert: `for p in train valid test; do awk 'NR>1 {print "e"$1 "\tr"$3 "\te"$2}' ${p}2id.txt > $p.txt; done`}
)

// refusals are the formats that are recognised by content or by name. The first that fits counts.
var refusals = []refused{
	{name: "a GML file", content: regexp.MustCompile(`^Creator "igraph `), // its nodes have no label
		convert: "import networkx as nx; nx.write_graphml(nx.read_gml('FILE', label='id'), 'NAME.graphml')", python: true},
	{name: "a GML file", content: regexp.MustCompile(`^(?i:(?:\s*(?:Creator|Version|comment|label)\s[^\n]*\n|\s*#[^\n]*\n)*\s*graph\s*\[)`), endings: []string{".gml"},
		convert: networkX("read_gml"), python: true},
	{name: "a Pajek file", content: regexp.MustCompile(`^(?i:(?:\s*%[^\n]*\n)*\s*\*(?:vertices|network)\b)`), endings: []string{".net", ".paj"},
		convert: networkX("read_pajek"), python: true},
	{name: "a DOT file of Graphviz", content: regexp.MustCompile(`^(?i:(?:\s*//[^\n]*\n|\s*#[^\n]*\n|\s*/\*(?s:.*?)\*/)*\s*(?:strict\s+)?(?:di)?graph\b[^\[\n]*\{)`), endings: []string{".dot", ".gv"},
		convert: networkX("nx_pydot.read_dot"), python: true},
	{name: "a graph6 or sparse6 file", content: regexp.MustCompile(`^>>(?:graph6|sparse6|digraph6)<<`), endings: []string{".g6", ".graph6"},
		convert: networkX("read_graph6"), python: true},
	{name: "a sparse6 file", endings: []string{".s6", ".sparse6"}, convert: networkX("read_sparse6"), python: true},
	{name: "a GDF file of GUESS", content: regexp.MustCompile(`^(?i:nodedef\s*>)`), endings: []string{".gdf"},
		convert: `awk 'sub(/^edgedef> */, "") {p=1; gsub(/ (VARCHAR|DOUBLE|FLOAT|INTEGER|INT|BOOLEAN)/, ""); sub(/node1/, "source"); sub(/node2/, "target")} p' FILE > NAME.csv`},
	{name: "a TGF file", endings: []string{".tgf"},
		convert: `awk -v OFS=, 'BEGIN {print "source", "target", "label"} p {print $1, $2, $3} /^#/ {p=1}' FILE > NAME.csv`},
	{name: "a DIMACS file", content: regexp.MustCompile(`^(?:c\b[^\n]*\n)*p (?:sp|edge|col|max|min|tree|edges) `),
		convert: `awk -v OFS=, 'BEGIN {print "source", "target", "weight"} /^[ae] / {print $2, $3, $4}' FILE > NAME.csv`},
	{name: "a METIS file", content: regexp.MustCompile(`^(?:%[^\n]*\n)*[ \t]*\d+[ \t]+\d+(?:[ \t]+\d+){0,2}[ \t]*\r?\n`), endings: []string{".graph", ".metis"},
		convert: `grep -v '^%' FILE | awk 'NR>1 {for (i=1; i<=NF; i++) if ($i>=NR-1) print NR-1, $i}' > NAME.edges`},
	{name: "a file of PyTorch", endings: []string{".pt", ".pth"}, python: true,
		convert: "import torch, numpy; numpy.savetxt('NAME.edges', torch.load('FILE', weights_only=False).edge_index.t().numpy(), fmt='%d')"},
	{name: "a binary file, as DGL writes it", endings: []string{".bin", ".dgl"}, python: true,
		convert: "import dgl, numpy; numpy.savetxt('NAME.edges', numpy.stack([e.numpy() for e in dgl.load_graphs('FILE')[0][0].edges()], 1), fmt='%d')"},
	{name: "a pickle of pandas", content: regexp.MustCompile(`^(?s:.{0,200}?)pandas\.core\.`), python: true,
		convert: "import pandas; pandas.read_pickle('FILE').to_csv('NAME.csv', index=False)"},
	{name: "a pickle of Python", endings: []string{".gpickle", ".pickle", ".pkl"}, python: true,
		convert: "import pickle, networkx as nx; nx.write_graphml(pickle.load(open('FILE', 'rb')), 'NAME.graphml')"},
	{name: "a file of NumPy or SciPy", endings: []string{".npz"}, python: true,
		convert: "import scipy.io, scipy.sparse; scipy.io.mmwrite('NAME.mtx', scipy.sparse.load_npz('FILE'))"},
	{name: "a SIF file of Cytoscape with several targets on a line", endings: []string{".sif"},
		convert: `awk '{for (i=3; i<=NF; i++) print $1 "\t" $2 "\t" $i}' FILE > NAME.txt`},
	{name: "an LGL file", endings: []string{".lgl"}, convert: `awk '/^#/ {u=$2; next} NF {print u, $0}' FILE > NAME.edges`},
	{name: "a dump of Neo4j", endings: []string{".dump"}, convert: `cypher-shell "CALL apoc.export.graphml.all('NAME.graphml', {})"`},
	{name: "an RDF file", endings: []string{".ttl", ".nq", ".trig", ".rdf", ".owl"}, python: true,
		convert: "import rdflib; rdflib.Graph().parse('FILE').serialize('NAME.nt', format='nt', encoding='utf-8')"},
}

// Refuse returns a *data.ParseError if a path has a graph in a known format that is not read. The
// error has the name of the format and the command that converts it. Otherwise it returns nil.
func Refuse(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	if info.IsDir() {
		if file := filepath.Join(path, "train2id.txt"); exists(file) {
			return openKE.error("train2id.txt")
		}
		return nil
	}
	if !info.Mode().IsRegular() {
		return nil
	}
	head, whole, err := headOf(path)
	if err != nil {
		return nil // the reader of the file reports the error
	}
	name := filepath.Base(path)
	plain := strings.TrimSuffix(strings.ToLower(name), ".gz")
	if strings.HasSuffix(plain, "2id.txt") {
		return openKE.error(name)
	}
	for _, r := range refusals {
		if r.fits(plain, head) {
			return r.error(name)
		}
	}
	comments, rows := sampleLines(head, whole)
	return refuseLines(name, comments, rows)
}

// fits reports whether a file has the format. METIS and Planetoid share an ending, so the content
// of METIS must fit as well. A file that begins as XML has none of the other formats.
func (r refused) fits(name string, head []byte) bool {
	matches := r.content != nil && r.content.Match(head)
	if r.name == "a METIS file" {
		return matches && hasEnding(name, r.endings...)
	}
	isXML := strings.HasPrefix(strings.TrimSpace(string(head[:min(len(head), 64)])), "<?xml")
	return matches || hasEnding(name, r.endings...) && (!isXML || hasEnding(name, ".rdf", ".owl"))
}

// refuseLines is Refuse for a text by its lines: files of networkx with attributes in Python, and
// adjacency lists.
func refuseLines(name string, comments, rows []string) error {
	plain := strings.TrimSuffix(strings.ToLower(name), ".gz")
	if hasEnding(plain, ".adjlist") || len(comments) > 1 && strings.HasPrefix(comments[1], "# GMT ") {
		return adjacency.error(name)
	}
	for _, line := range rows {
		if strings.Contains(line, " {'") && strings.HasSuffix(line, "}") {
			return dicts.error(name)
		}
	}
	return nil
}

// error returns the error for a file of the format.
func (r refused) error(file string) error {
	command := shell(file, r.convert)
	if r.python {
		command = Python(file, r.convert)
	}
	return &data.ParseError{File: file, Msg: fmt.Sprintf("is %s, which is not read; convert it: %s", r.name, command)}
}

// Python returns the command that runs a line of Python. FILE becomes the name of a file, NAME that
// name without its ending.
func Python(file, code string) string { return `python -c "` + shell(file, code) + `"` }

// shellText matches a name that needs no quoting in a command.
var shellText = regexp.MustCompile(`^[\w.+-]+$`)

// shell puts the names of files into a command. If a name would need quoting, FILE stays.
func shell(file, command string) string {
	if !shellText.MatchString(file) {
		return command
	}
	name := strings.TrimSuffix(file, ".gz")
	name = strings.TrimSuffix(name, filepath.Ext(name))
	return strings.NewReplacer("FILE", file, "NAME", name).Replace(command)
}
