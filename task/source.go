package task

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/graph"
	"github.com/ehgnn/ehgnn/internal/nearest"
)

// Items are what a task predicts for.
type Items string

// The kinds of items, also the levels of Embed.
const (
	Graphs Items = "graph"
	Nodes  Items = "node"
	Edges  Items = "edge"
)

// Source reads data of one kind.
type Source struct {
	Name   string
	Expect string // what such data look like, for help and errors
	// Formats are the values of --format that mean this source.
	Formats []string
	// Recognise reports whether a path of the operating system holds such data. Of
	// several sources that do, the first of the registry reads it.
	Recognise func(path string) bool
	// Begin makes the source's part of the settings, with defaults.
	Begin func(d *DataSettings)
	// Read reads the data as d says, for a task, nil where none is named. It completes d with what it found:
	// name, checksum, form, columns. Every error is the input's.
	Read func(ctx context.Context, d *DataSettings, t *Task) (Data, error)
	// Reread reads data as those of the training were; own says that they are the same
	// ones. s has what was fitted then.
	Reread func(ctx context.Context, s *Settings, o LoadOptions, own bool) (Data, error)
	// Rereads names the fields of LoadOptions that Reread reads besides Data, by their
	// flags: name, format, nodes, context.
	Rereads []string
}

// Sources lists the sources, the more particular before the more general.
var Sources = []*Source{nodeLinkSource, tableSource, graphSource}

// Data are what a source has read.
type Data interface {
	// Name is what the data are called, Checksum that of their files.
	Name() string
	Checksum() string
	// Notes are remarks on what the reader did that a user might not expect.
	Notes() []string
	// Suits is the task that the data are for where none is named, nor a model.
	Suits() string
	// Labels says what there is to predict for items.
	Labels(items Items) (Labels, error)
	// Graphs are those a model may be shaped by (model.Stats).
	Graphs() []*graph.Graph
	// ResolveSplit completes a split: its kind where that is empty, its fractions. It
	// refuses one that the data do not allow.
	ResolveSplit(s *Split, t *Task) error
	// Divide makes the parts as the settings say. What is fitted on the training part
	// and not in s yet is fitted and put there.
	Divide(s *Settings, t *Task, form Form) (map[string]*Part, error)
	// Whole is all of the data as one part.
	Whole(s *Settings, t *Task, form Form) (*Part, error)
	// Summary is for data info.
	Summary() Summary
}

// Summary describes data, as JSON and as text.
type Summary interface{ Text(w io.Writer) error }

// Form gives a graph the form that a model wants; nil where any will do.
type Form func(*graph.Graph) (*graph.Graph, error)

// Labels says what data have to predict.
type Labels struct {
	// Classes is the number of classes of the items, ClassNames what they are called,
	// if the data say.
	Classes    int
	ClassNames []string
	// Targets are the names of labels or numbers of the items where it is not one class.
	Targets []string
	// Units are those of numbers where the data measured them; nil leaves it to the task.
	Units []Unit
}

// sourceOf is the source of a path: the one that a format means, or the first that
// recognises the data.
func sourceOf(path, format string) (*Source, error) {
	if format != "" {
		for _, s := range Sources {
			if slices.Contains(s.Formats, format) {
				return s, nil
			}
		}
		return nil, misuse("task: unknown format %q, expected one of %q", format, formats())
	}
	for _, s := range Sources {
		if s.Recognise(path) {
			return s, nil
		}
	}
	return graphSource, nil // which says what is wrong with the path
}

// findSource is a source by name.
func findSource(name string) (*Source, error) {
	names := make([]string, len(Sources))
	for i, s := range Sources {
		if s.Name == name {
			return s, nil
		}
		names[i] = s.Name
	}
	return nil, fmt.Errorf("task: unknown source %q, did you mean %q? (known: %s)", name, nearest.Name(name, names, 1<<20), strings.Join(names, ", "))
}
