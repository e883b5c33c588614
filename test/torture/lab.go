//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/synth"
)

// A lab is what all trials share. It is read and never written to, apart from what is made
// once.
type lab struct {
	dir     string // of everything that the campaign writes
	root    string // of the module
	binary  string
	version string // that the program prints

	mu   sync.Mutex
	once map[string]*sync.Once
	runs map[string]*reference
}

// newLab builds the program and generates the sets.
func newLab(ctx context.Context, dir string) (*lab, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/ehgnn/ehgnn").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w; torture runs inside the repository", err)
	}
	l := &lab{dir: dir, root: strings.TrimSpace(string(out)), binary: filepath.Join(dir, "ehgnn"),
		once: map[string]*sync.Once{}, runs: map[string]*reference{}}
	build := exec.CommandContext(ctx, "go", "build", "-o", l.binary, "./cmd/ehgnn")
	build.Dir, build.Env = l.root, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, out)
	}
	shown, err := exec.Command(l.binary, "version").Output()
	if err != nil {
		return nil, fmt.Errorf("%s version: %w", l.binary, err)
	}
	l.version = strings.TrimSpace(string(shown))
	for _, make := range []func() error{l.makeTU, l.makeTables, l.makeDocuments, l.makeDGCNN, l.makeOGB, l.copyPlanetoid, l.makeParquet} {
		if err := make(); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// set is the path of a set that trials may copy.
func (l *lab) set(name string) string { return filepath.Join(l.dir, "sets", name) }

// Sizes of the sets.
const (
	toyGraphs = 40
	bigGraphs = 800
	accounts  = 60
	payments  = 200
)

// makeTU writes TOY, a few graphs that are trained on in a second, and BIG, for processes
// that have to write for a while.
func (l *lab) makeTU() error {
	for name, n := range map[string]int{"TOY": toyGraphs, "BIG": bigGraphs} {
		graphs, err := synth.EdgeClass(n, 7)
		if err != nil {
			return err
		}
		d := &data.Dataset{Info: data.Info{Name: name, NumGraphs: n, NumClasses: 2, ClassNames: []string{"-1", "1"}, NodeWidth: 3, EdgeWidth: 3,
			HasNodeLabels: true, HasEdgeLabels: true, NodeLabelOffset: []int{0}, EdgeLabelOffset: []int{0}}, Graphs: graphs}
		files := map[string]*bytes.Buffer{}
		if _, err := d.WriteTU(func(file string) (io.Writer, error) {
			files[file] = new(bytes.Buffer)
			return files[file], nil
		}); err != nil {
			return err
		}
		for file, text := range files {
			if err := writeFile(filepath.Join(l.set(name), file), text.Bytes()); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *lab) makeTables() error {
	x, err := synth.NewTransactions(accounts, payments, 3)
	if err != nil {
		return err
	}
	var nodes, edges bytes.Buffer
	if err := errors.Join(x.WriteNodes(&nodes), x.WriteEdges(&edges)); err != nil {
		return err
	}
	return errors.Join(writeFile(filepath.Join(l.set("payments"), "nodes.csv"), nodes.Bytes()),
		writeFile(filepath.Join(l.set("payments"), "edges.csv"), edges.Bytes()))
}

// makeDocuments writes node-link JSON, a document a line.
func (l *lab) makeDocuments() error {
	graphs, err := synth.EdgeClass(toyGraphs, 7)
	if err != nil {
		return err
	}
	type object = map[string]any
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	for i, g := range graphs {
		nodes, edges := []object{}, []object{}
		for v, c := range g.Node.Code {
			nodes = append(nodes, object{"id": v, "kind": fmt.Sprint("k", c), "weight": float64(c) / 2})
		}
		for e, c := range g.Edge.Code {
			edges = append(edges, object{"source": g.Ends[2*e], "target": g.Ends[2*e+1], "order": c})
		}
		err := enc.Encode(object{"directed": false, "multigraph": false, "graph": object{"label": fmt.Sprint("c", g.Label), "name": fmt.Sprint("g", i)},
			"nodes": nodes, "edges": edges})
		if err != nil {
			return err
		}
	}
	return writeFile(l.set("documents")+"/documents.json", text.Bytes())
}

func (l *lab) makeDGCNN() error {
	graphs, err := synth.EdgeClass(toyGraphs, 7)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	fmt.Fprintln(&text, len(graphs))
	for _, g := range graphs {
		neighbours := make([][]int32, g.NumNodes)
		for e := range g.NumEdges() {
			u, v := g.Ends[2*e], g.Ends[2*e+1]
			neighbours[u], neighbours[v] = append(neighbours[u], v), append(neighbours[v], u)
		}
		fmt.Fprintln(&text, g.NumNodes, g.Label)
		for v, list := range neighbours {
			fmt.Fprint(&text, g.Node.Code[v], " ", len(list))
			for _, u := range list {
				fmt.Fprint(&text, " ", u)
			}
			fmt.Fprintln(&text)
		}
	}
	return writeFile(l.set("dgcnn")+"/DG.txt", text.Bytes())
}

// makeOGB writes molecules of three atoms.
func (l *lab) makeOGB() error {
	const n = 30
	text := map[string]*strings.Builder{}
	for _, name := range []string{"raw/num-node-list.csv", "raw/num-edge-list.csv", "raw/node-feat.csv", "raw/edge.csv", "raw/edge-feat.csv", "raw/graph-label.csv",
		"split/scaffold/train.csv", "split/scaffold/valid.csv", "split/scaffold/test.csv", "mapping/mol.csv"} {
		text[name] = new(strings.Builder)
	}
	fmt.Fprintln(text["mapping/mol.csv"], "toxic,smiles,mol_id")
	for i := range n {
		fmt.Fprintln(text["raw/num-node-list.csv"], 3)
		fmt.Fprintln(text["raw/num-edge-list.csv"], 2)
		for range 3 {
			fmt.Fprintf(text["raw/node-feat.csv"], "%d,0,4,5,3,0,2,%d,0\n", 5+i%3, i%2)
		}
		fmt.Fprint(text["raw/edge.csv"], "0,1\n1,2\n")
		fmt.Fprintf(text["raw/edge-feat.csv"], "%d,0,0\n0,0,1\n", i%2)
		fmt.Fprintln(text["raw/graph-label.csv"], i%2)
		fmt.Fprintln(text["split/scaffold/"+[]string{"train", "train", "train", "valid", "test"}[(i/2)%5]+".csv"], i)
		fmt.Fprintf(text["mapping/mol.csv"], "%d,CCO,m%d\n", i%2, i)
	}
	for name, b := range text {
		if err := writeFile(filepath.Join(l.set("ogb"), filepath.FromSlash(name)), []byte(b.String())); err != nil {
			return err
		}
	}
	return nil
}

// copyPlanetoid takes the tiny set that the tests of the module have.
func (l *lab) copyPlanetoid() error {
	files, err := filepath.Glob(filepath.Join(l.root, "testdata", "planetoid", "ind.tiny.*"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no testdata/planetoid in %s (%v)", l.root, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := writeFile(filepath.Join(l.set("planetoid"), filepath.Base(file)), text); err != nil {
			return err
		}
	}
	return nil
}

// makeParquet lets the program write the tables of TOY as Parquet.
func (l *lab) makeParquet() error {
	out, err := exec.Command(l.binary, "data", "convert", l.set("TOY"), l.set("parquet"), "--to", "parquet").CombinedOutput()
	if err != nil {
		return fmt.Errorf("data convert --to parquet: %w\n%s", err, out)
	}
	return nil
}

// writeFile writes a file with its folders.
func writeFile(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// A reference is what an uninterrupted process leaves, and how long it takes.
type reference struct {
	dir    string // as the folder of a trial
	stdout []byte
	took   time.Duration
}

// reference runs a call once, in a folder that is prepared as that of a trial is, and keeps
// what it leaves.
func (t *trial) reference(name string, prepare func(t *trial), c call) *reference {
	return t.referenceBy(name, prepare, c, func(*process) {})
}

// referenceBy is reference with something done while the process runs.
func (t *trial) referenceBy(name string, prepare func(t *trial), c call, meanwhile func(*process)) *reference {
	l := t.lab
	l.mu.Lock()
	once := l.once[name]
	if once == nil {
		once = new(sync.Once)
		l.once[name] = once
	}
	l.mu.Unlock()
	once.Do(func() {
		// Of the same depth as the folders of trials, since runs keep relative paths.
		r := &trial{Rand: t.Rand, lab: l, scenario: t.scenario, index: t.index, dir: filepath.Join(l.dir, "trials", "reference-"+name)}
		t.must(os.MkdirAll(r.dir, 0o755))
		prepare(r)
		p := r.start(c)
		meanwhile(p)
		p.wait()
		p.check()
		if len(r.findings) > 0 {
			t.fatal("the uninterrupted process: %+v", r.findings)
		}
		l.mu.Lock()
		l.runs[name] = &reference{r.dir, p.out.text, p.took}
		l.mu.Unlock()
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.runs[name]
	if r == nil {
		t.fatal("the uninterrupted process of %s failed in another trial", name)
	}
	return r
}

// read reads a file of a reference.
func (r *reference) read(elem ...string) []byte {
	text, err := os.ReadFile(filepath.Join(append([]string{r.dir}, elem...)...))
	if err != nil {
		panic(broken{err})
	}
	return text
}

// takes copies a set into the folder of the trial.
func (t *trial) takes(set string) {
	t.must(os.CopyFS(t.path("data", set), os.DirFS(t.lab.set(set))))
}

// real is the path of a TU set of real data, "" where there is none.
func (l *lab) real(name string) string {
	dir := os.Getenv("EHGNN_DATA")
	if dir == "" {
		dir = filepath.Join(l.root, "..", "shared", "data")
	}
	path := filepath.Join(dir, "tu", name+".zip")
	if !exists(path) {
		return ""
	}
	return path
}
