package source

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/planetoid"
)

// partNames are the suffixes of the files of a set in parts: ZINC_train.zip, ZINC_val.zip,
// ZINC_test.zip.
var partNames = []struct{ part, ending string }{
	{PartTrain, "_train"}, {PartValid, "_val"}, {PartValid, "_valid"}, {PartTest, "_test"},
}

// openParts reads one set, or a folder with one set for each part.
func openParts(path string, opts data.Options) (*GraphData, error) {
	if opts.Format == planetoid.Format || opts.Format == "" && planetoid.Recognise(path) {
		whole, err := planetoid.Open(path, planetoid.Options{Name: opts.Name, Edges: opts.Edges, MaxMemory: opts.MaxMemory})
		if err != nil {
			return nil, err
		}
		return &GraphData{Whole: whole}, nil
	}
	var files map[string]string
	if opts.Name == "" {
		files = FindParts(path)
	}
	if files == nil {
		whole, err := data.Open(path, opts)
		if err != nil {
			return nil, err
		}
		return &GraphData{Whole: whole}, nil
	}
	opts.MaxMemory = shareOf(opts.MaxMemory, 3)
	// The parts share one encoding. Unless it is given, all parts are read once to find the largest
	// label, and labels are used as codes.
	if opts.NodeCodes == 0 && opts.EdgeCodes == 0 {
		if err := sharedCodes(files, &opts); err != nil {
			return nil, err
		}
	}
	p, err := openEach(files, opts)
	if err != nil || opts.ClassNames != nil {
		return p, err
	}
	// The parts also share their classes: if one part lacked a class, the numbers of the others would
	// shift.
	if classes, differ := p.classes(); differ {
		opts.ClassNames = classes
		return openEach(files, opts)
	}
	return p, nil
}

// shareOf is the bound for each of n sets that are kept together. A bound derived from the files
// applies to each set separately.
func shareOf(maxMemory, n int64) int64 {
	if maxMemory == 0 {
		return 0
	}
	return max(maxMemory/n, 1)
}

func openEach(files map[string]string, opts data.Options) (*GraphData, error) {
	p := &GraphData{}
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

// classes returns the union of the parts' classes in ascending order of labels, and whether any
// part has fewer.
func (p *GraphData) classes() (union []string, differ bool) {
	for _, d := range []*data.Dataset{p.Train, p.Valid, p.Test} {
		union = append(union, d.Info.ClassNames...)
	}
	slices.SortFunc(union, func(a, b string) int {
		x, _ := strconv.Atoi(a) // the reader wrote numbers
		y, _ := strconv.Atoi(b)
		return x - y
	})
	union = slices.Compact(union)
	for _, d := range []*data.Dataset{p.Train, p.Valid, p.Test} {
		differ = differ || !slices.Equal(union, d.Info.ClassNames)
	}
	return union, differ
}

// FindParts returns the path of each part in a folder; nil unless there is exactly one file for
// each part.
func FindParts(path string) map[string]string {
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

// knownCodes are the published numbers of codes of sets whose parts do not contain every label.
// ZINC has 28 atom types and 5 bond types, 0 to 4, of which kekulised molecules have 1 to 3 (paper,
// appendix C.1).
var knownCodes = map[string]struct{ node, edge int }{"zinc": {28, 5}}

// sharedCodes sets the numbers of codes so that they cover the labels of all parts.
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
