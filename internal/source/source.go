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
	"github.com/ehgnn/ehgnn/internal/didyoumean"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// Source reads one kind of data.
type Source struct {
	Name   string
	Expect string // description of such data, for help and errors
	// Formats lists the values of --format that select this source.
	Formats []string
	// Recognise reports whether a path holds such data. If several sources recognise it, the first of
	// Sources reads it.
	Recognise func(path string) bool
	// InitSettings sets the source's part of the settings to its defaults.
	InitSettings func(d *settings.DataSettings)
	// CheckMemory returns an error, before data are read, if the data and the training of a model
	// certainly do not fit into memory. The task may be nil; given are the given settings. CheckMemory
	// is nil if nothing is known before reading.
	CheckMemory func(d *settings.DataSettings, t *settings.Kind, model string, given settings.Values) error
	// Read reads the data that d describes, for a task or nil. It completes d: name, checksum, form,
	// columns. Its errors are usage errors.
	Read func(ctx context.Context, d *settings.DataSettings, t *settings.Kind) (Data, error)
	// ReadForInference reads data with the encoding of a training, whose settings are s; own says that
	// they are the training data.
	ReadForInference func(ctx context.Context, s *settings.Settings, o LoadOptions, own bool) (Data, error)
	// InferenceOptions lists the fields of LoadOptions, other than Data, that ReadForInference uses,
	// by their flags: name, format, nodes, context, smiles, on-invalid.
	InferenceOptions []string
}

// Sources lists the sources. The first that recognises data reads them, so special formats come
// before general formats.
func Sources() []*Source { return slices.Clone(registry) }

// Register adds a source before the others until remove is called. Tests use it to check what a new source needs.
func Register(s *Source) (remove func()) {
	before := registry
	registry = append([]*Source{s}, before...)
	return func() { registry = before }
}

var registry = []*Source{nodeLinkSource, MoleculeSource, tableSource, graphSource}

// Data is what a source has read.
type Data interface {
	// Name is the name of the data, Checksum the checksum of their files.
	Name() string
	Checksum() string
	// Notes are remarks about unexpected actions of the reader.
	Notes() []string
	// Labelled returns the levels at which the data have labels, and whether these are numbers.
	Labelled() (items settings.Level, number bool)
	// Labels describes what can be predicted for items.
	Labels(items settings.Level) (Labels, error)
	// Graphs returns the graphs that may determine the shape of a model (model.Stats).
	Graphs() []*graph.Graph
	// ResolveSplit completes a split: its kind, if it is empty, and its fractions. It returns an error
	// for a split that the data do not allow.
	ResolveSplit(s *settings.Split, t *settings.Kind) error
	// Split makes the parts as set in the settings. What is fitted on the training part is stored in
	// s, unless s already has it.
	Split(ctx context.Context, s *settings.Settings, t *settings.Kind, form Form) (map[string]*Part, error)
	// All returns all data as one part.
	All(s *settings.Settings, t *settings.Kind, form Form) (*Part, error)
	// Summary is the output of data info.
	Summary() Summary
}

// Summary describes data, as JSON and as text in lines of a width.
type Summary interface {
	Text(w io.Writer, width int) error
}

// Form converts a graph to the form that a model reads; nil if the model reads any graph.
type Form func(*graph.Graph) (*graph.Graph, error)

// Labels describes what can be predicted.
type Labels struct {
	// Classes is the number of classes of the items; ClassNames are their names, if the data have any.
	Classes    int
	ClassNames []string
	// Targets are the names of several labels or of numbers; empty if one class is predicted.
	Targets []string
	// Units are the units of numbers that the data have standardised; if nil, the task standardises.
	Units []settings.Unit
}

// SourceOf returns the source that a format selects, or the first that recognises the data at a
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
	return graphSource, nil // its error describes the problem with the path
}

// Unrecognised returns a format of graph files if the content of the file at path does not show its
// format; otherwise empty.
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

// FindSource returns a source by name.
func FindSource(name string) (*Source, error) {
	for _, s := range registry {
		if s.Name == name {
			return s, nil
		}
	}
	names := lists.Map(registry, func(s *Source) string { return s.Name })
	return nil, didyoumean.Unknown("source", name, names)
}

// Check returns an error for data settings that lack what their source reads.
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
