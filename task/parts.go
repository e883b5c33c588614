package task

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/planetoid"
	"github.com/ehgnn/ehgnn/graph"
)

// Names of parts.
const (
	PartTrain = "train"
	PartValid = "valid"
	PartTest  = "test"
	PartAll   = "all"
)

// partNames are the endings by which the files of a set that comes in parts
// are recognised: ZINC_train.zip, ZINC_val.zip, ZINC_test.zip.
var partNames = []struct{ part, ending string }{
	{PartTrain, "_train"}, {PartValid, "_val"}, {PartValid, "_valid"}, {PartTest, "_test"},
}

// Parts are the data of a run: one set, or a set per part.
type Parts struct {
	Whole              *data.Dataset // nil when the data come in parts
	Train, Valid, Test *data.Dataset
}

// PartInfo describes one set; Part is empty for a whole one.
type PartInfo struct {
	Part string `json:"part,omitempty"`
	data.Info
}

// Infos describes every set, in the order train, valid, test.
func (p *Parts) Infos() []PartInfo {
	if p.Whole != nil {
		return []PartInfo{{Info: p.Whole.Info}}
	}
	return []PartInfo{{PartTrain, p.Train.Info}, {PartValid, p.Valid.Info}, {PartTest, p.Test.Info}}
}

// main is the set that the model is shaped by.
func (p *Parts) main() *data.Dataset {
	if p.Whole != nil {
		return p.Whole
	}
	return p.Train
}

// sets lists the sets, in the order train, valid, test.
func (p *Parts) sets() []*data.Dataset {
	if p.Whole != nil {
		return []*data.Dataset{p.Whole}
	}
	return []*data.Dataset{p.Train, p.Valid, p.Test}
}

// name is what the data are called.
func (p *Parts) name() string { return strings.TrimSuffix(p.main().Info.Name, "_train") }

// OpenData reads a data set, or a folder with one per part. The format is tu,
// dgcnn, ogb, planetoid or empty to recognise it, edges are auto, undirected or
// directed.
func OpenData(path, format, edges string) (*Parts, error) { return openNamed(path, "", format, edges) }

// openNamed is OpenData of the named set where the path holds several.
func openNamed(path, name, format, edges string) (*Parts, error) {
	form, err := edgeForm(edges)
	if err != nil {
		return nil, err
	}
	return openParts(path, data.Options{Format: format, Name: name, Edges: form})
}

func edgeForm(name string) (data.Edges, error) {
	switch name {
	case "", "auto":
		return data.Auto, nil
	case "directed":
		return data.Directed, nil
	case "undirected":
		return data.Undirected, nil
	}
	return 0, fmt.Errorf("task: edges %q, expected auto, undirected or directed", name)
}

func openParts(path string, opts data.Options) (*Parts, error) {
	if opts.Format == planetoid.Format || opts.Format == "" && planetoid.Recognise(path) {
		whole, err := planetoid.Open(path, planetoid.Options{Name: opts.Name, Edges: opts.Edges, MaxBytes: opts.MaxBytes})
		if err != nil {
			return nil, err
		}
		return &Parts{Whole: whole}, nil
	}
	var files map[string]string
	if opts.Name == "" {
		files = findParts(path)
	}
	if files == nil {
		whole, err := data.Open(path, opts)
		if err != nil {
			return nil, err
		}
		return &Parts{Whole: whole}, nil
	}
	// The parts share one encoding. Unless it is fixed, a first look at each
	// finds the largest label, codes being labels as they stand.
	if opts.NodeCodes == 0 && opts.EdgeCodes == 0 {
		if err := sharedCodes(files, &opts); err != nil {
			return nil, err
		}
	}
	p, err := openEach(files, opts)
	if err != nil || opts.ClassNames != nil {
		return p, err
	}
	// So do their classes: one that a part lacks would shift the others.
	if classes, differ := p.classes(); differ {
		opts.ClassNames = classes
		return openEach(files, opts)
	}
	return p, nil
}

func openEach(files map[string]string, opts data.Options) (*Parts, error) {
	p := &Parts{}
	for _, f := range []struct {
		part string
		to   **data.Dataset
	}{{PartTrain, &p.Train}, {PartValid, &p.Valid}, {PartTest, &p.Test}} {
		d, err := data.Open(files[f.part], opts)
		if err != nil {
			return nil, err
		}
		*f.to = d
	}
	return p, nil
}

// classes is the union of the parts' classes, in rising order of their labels,
// and whether a part has others.
func (p *Parts) classes() (union []string, differ bool) {
	for _, d := range []*data.Dataset{p.Train, p.Valid, p.Test} {
		union = append(union, d.Info.ClassNames...)
	}
	slices.SortFunc(union, func(a, b string) int {
		x, _ := strconv.Atoi(a) // the reader wrote it
		y, _ := strconv.Atoi(b)
		return x - y
	})
	union = slices.Compact(union)
	for _, d := range []*data.Dataset{p.Train, p.Valid, p.Test} {
		differ = differ || !slices.Equal(union, d.Info.ClassNames)
	}
	return union, differ
}

// findParts returns the path of each part in a folder, or nil unless there is
// exactly one of each.
func findParts(path string) map[string]string {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil
	}
	files := map[string]string{}
	for _, e := range entries {
		name := e.Name()
		base := strings.ToLower(strings.TrimSuffix(name, filepath.Ext(name)))
		for _, p := range partNames {
			if !strings.HasSuffix(base, p.ending) {
				continue
			}
			if files[p.part] != "" {
				return nil
			}
			files[p.part] = filepath.Join(path, name)
		}
	}
	if len(files) != 3 {
		return nil
	}
	return files
}

// knownCodes are the published widths of sets whose parts do not show every
// label: ZINC has 28 atom types and bond types 0 to 4, of which a part of
// kekulised molecules has 1 to 3 (paper, appendix C.1).
var knownCodes = map[string]struct{ node, edge int }{"zinc": {28, 5}}

// sharedCodes finds the widths of one-hot blocks that hold the labels of every
// part.
func sharedCodes(files map[string]string, opts *data.Options) error {
	name := strings.ToLower(filepath.Base(files[PartTrain]))
	name, _, _ = strings.Cut(name, "_train")
	if known, ok := knownCodes[name]; ok {
		opts.NodeCodes, opts.EdgeCodes = known.node, known.edge
		return nil
	}
	look := *opts
	for _, file := range files {
		d, err := data.Open(file, look)
		if err != nil {
			return err
		}
		if len(d.Graphs) == 0 {
			continue
		}
		if i := d.Info; len(i.NodeLabelOffset) == 1 {
			opts.NodeCodes = max(opts.NodeCodes, i.NodeLabelOffset[0]+d.Graphs[0].Node.NumCodes())
		} else if !i.HasNodeLabels && !i.HasNodeAttributes {
			opts.NodeCodes = max(opts.NodeCodes, d.Graphs[0].Node.NumCodes())
		}
		if i := d.Info; len(i.EdgeLabelOffset) == 1 {
			opts.EdgeCodes = max(opts.EdgeCodes, i.EdgeLabelOffset[0]+d.Graphs[0].Edge.NumCodes())
		}
	}
	return nil
}

// splitOf divides the data as the settings say.
func (p *Parts) splitOf(s Split) (map[string]subset, error) {
	out := map[string]subset{}
	if p.Whole == nil {
		for part, d := range map[string]*data.Dataset{PartTrain: p.Train, PartValid: p.Valid, PartTest: p.Test} {
			out[part] = allOf(d)
		}
		return out, nil
	}
	var train, valid, test []int
	var err error
	switch given := p.Whole.Split; {
	case s.Kind == SplitGiven && given != nil:
		train, valid, test = given.Train, given.Valid, given.Test
	case s.Kind == SplitFold:
		train, valid, test, err = p.Whole.Fold(s.Fold)
	case s.Kind == SplitRandom:
		train, valid, test, err = data.StratifiedSplit(p.Whole.Labels(), s.Fractions, s.Seed)
	default:
		err = fmt.Errorf("task: split %q of a single data set, expected %s or %s", s.Kind, SplitFold, SplitRandom)
	}
	if err != nil {
		return nil, err
	}
	for part, ids := range map[string][]int{PartTrain: train, PartValid: valid, PartTest: test} {
		out[part] = pick(p.Whole, ids)
	}
	out[PartAll] = allOf(p.Whole)
	return out, nil
}

// subset is some graphs of a data set with their place in it.
type subset struct {
	graphs []*graph.Graph
	ids    []int
	// nodes are those of the one graph that belong to a part of its nodes; nil where
	// all do.
	nodes []int
}

func allOf(d *data.Dataset) subset {
	s := subset{graphs: d.Graphs, ids: make([]int, len(d.Graphs))}
	for i := range s.ids {
		s.ids[i] = i
	}
	return s
}

func pick(d *data.Dataset, ids []int) subset {
	s := subset{ids: ids, graphs: make([]*graph.Graph, len(ids))}
	for i, id := range ids {
		s.graphs[i] = d.Graphs[id]
	}
	return s
}
