package source

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/tables"
	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/nearest"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// Source reads data of one kind.
type Source struct {
	Name   string
	Expect string // what such data look like, for help and errors
	// Formats are the values of --format that select this source.
	Formats []string
	// Recognise reports whether a path holds such data. Where several sources recognise it,
	// the first of Sources reads it.
	Recognise func(path string) bool
	// InitSettings sets the source's part of the settings to its defaults.
	InitSettings func(d *settings.DataSettings)
	// CheckMemory refuses, before they are read, data that are certain not to fit into memory together
	// with what the training of a model for a task, or nil, takes, as far as given settings tell; nil
	// where nothing is known before.
	CheckMemory func(d *settings.DataSettings, t *settings.Kind, model string, given settings.Values) error
	// Read reads the data as d says, for a task or, where none is named, nil. It completes
	// d with what it found: name, checksum, form, columns. Every error is due to the input.
	Read func(ctx context.Context, d *settings.DataSettings, t *settings.Kind) (Data, error)
	// ReadForInference reads data in the encoding of a training, whose settings are s; own says that
	// they are the data of that training.
	ReadForInference func(ctx context.Context, s *settings.Settings, o LoadOptions, own bool) (Data, error)
	// InferenceOptions names the fields of LoadOptions that Reread uses besides Data, by their
	// flags: name, format, nodes, context, smiles, on-invalid.
	InferenceOptions []string
}

// Sources lists the sources. The first that recognises data reads them, so special formats
// come before general ones.
func Sources() []*Source { return slices.Clone(registry) }

// Register puts a source before the others until remove is called. It is for tests of what a new source needs.
func Register(s *Source) (remove func()) {
	before := registry
	registry = append([]*Source{s}, before...)
	return func() { registry = before }
}

var registry = []*Source{nodeLinkSource, MoleculeSource, tableSource, graphSource}

// Data are what a source has read.
type Data interface {
	// Name is the name of the data, Checksum the checksum of their files.
	Name() string
	Checksum() string
	// Notes are remarks on what the reader did that a user might not expect.
	Notes() []string
	// Labelled says of which items the data have labels, and whether these are numbers.
	Labelled() (items settings.Level, number bool)
	// Labels says what there is to predict for items.
	Labels(items settings.Level) (Labels, error)
	// Graphs are the graphs that may decide the shape of a model (model.Stats).
	Graphs() []*graph.Graph
	// ResolveSplit completes a split: its kind where that is empty, its fractions. It
	// refuses a split that the data do not allow.
	ResolveSplit(s *settings.Split, t *settings.Kind) error
	// Split makes the parts as the settings say. What is fitted on the training part is
	// put into s, unless s has it already.
	Split(ctx context.Context, s *settings.Settings, t *settings.Kind, form Form) (map[string]*Part, error)
	// All is all of the data as one part.
	All(s *settings.Settings, t *settings.Kind, form Form) (*Part, error)
	// Summary is what data info prints.
	Summary() Summary
}

// Summary describes data, as JSON and as text in lines of a width.
type Summary interface {
	Text(w io.Writer, width int) error
}

// Form changes a graph to the form that a model takes; nil where any will do.
type Form func(*graph.Graph) (*graph.Graph, error)

// Labels says what there is to predict in data.
type Labels struct {
	// Classes is the number of classes of the items; ClassNames are their names, if the
	// data have any.
	Classes    int
	ClassNames []string
	// Targets are the names of the labels or numbers of the items where it is not one
	// class.
	Targets []string
	// Units are the units of numbers where the data have standardised them; where it is nil
	// the task does so.
	Units []settings.Unit
}

// SourceOf is the source that a format selects, or the first that recognises the data at a
// path.
func SourceOf(path, format string) (*Source, error) {
	if format != "" {
		for _, s := range registry {
			if slices.Contains(s.Formats, format) {
				return s, nil
			}
		}
		return nil, settings.Misuse("unknown format %q, expected one of %q", format, settings.Formats())
	}
	for _, s := range registry {
		if s.Recognise(path) {
			return s, nil
		}
	}
	return graphSource, nil // its error says what is wrong with the path
}

// Unrecognised is a format of graph files where the content of the file at path says nothing; else
// empty.
func Unrecognised(path, format string) string {
	info, err := os.Stat(path)
	if err != nil || info.IsDir() || data.IsArchive(path) || !slices.Contains(tables.Formats(), format) {
		return ""
	}
	for _, s := range registry {
		if s.Recognise(path) {
			return ""
		}
	}
	return format
}

// FindSource is a source by name.
func FindSource(name string) (*Source, error) {
	for _, s := range registry {
		if s.Name == name {
			return s, nil
		}
	}
	names := lists.Map(registry, func(s *Source) string { return s.Name })
	return nil, nearest.Unknown("source", name, names)
}

// Check refuses settings of data that lack what their source reads.
func Check(d *settings.DataSettings) error {
	src, err := FindSource(d.Source)
	if err != nil {
		return err
	}
	var begun settings.DataSettings
	src.InitSettings(&begun)
	switch {
	case begun.Graphs != nil && d.Graphs == nil:
		return fmt.Errorf("data.graphs is missing, of data that are %s", src.Name)
	case begun.Molecules != nil && d.Molecules == nil:
		return fmt.Errorf("data.molecules is missing, of data that are %s", src.Name)
	case begun.Tables != nil && (d.Tables == nil || d.Tables.Encoder == nil):
		return fmt.Errorf("data.tables.encoder is missing, of data that are %s", src.Name)
	}
	return nil
}
