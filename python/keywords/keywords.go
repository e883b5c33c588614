// Package keywords writes the constructors of the Python estimators from the table of settings, so
// that their keywords are the names of the program's settings. Its test compares the result with
// python/src/ehgnn/_settings.py. go test ./python/keywords -update writes the file.
package keywords

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/internal/links/run"
	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/settings"
)

// class is a Python class whose constructor has settings as keywords.
type class struct {
	name, doc string
	without   []string // settings that the class sets itself, or that do not apply to its data
	only      []string // the settings of the class, if they are few; nil for all except without
	more      []settings.Option
}

var classes = []class{
	{"EdgeSettings", "Settings of estimators of edges.", []string{
		"format", "name", "edges", "nodes", "sheet", // fit is given tables and writes the files
		"smiles", "explicit-hydrogens", "on-invalid", // of molecules
		"standardise", "batch-size", "readout", "score", // of sets of graphs
		"node-lr", "seed-scale", "decoder-sees-edges", "clusters", "node-clusters", // of autoencoders
		"learners", // of whole graphs
	}, nil, nil},
	{"GraphSettings", "Settings of estimators of graphs.", []string{
		"format", "name", "nodes", "node-id", "source", "target", "graph", "sheet", // fit is given graphs and writes the files
		"explicit-hydrogens", "on-invalid", "smiles", // of molecules
		"time", "time-format", "time-features", "pairs", "label-context", "transductive", "structure", // of one graph
		"unweighted", "budget", "metric", // of edges
		"node-lr", "seed-scale", "decoder-sees-edges", "node-clusters", // of autoencoders
	}, nil, nil},
	{"LinkSettings", "Settings of estimators of links.", []string{"nodes", "sheet"}, run.SettingNames(), run.Flags()},
}

// shared are keywords that are no settings of the table. They come before the others.
const shared = `        model: str | None = None,
        seed: int = 42,
        threads: int | None = None,
        max_memory: str | None = None,
        verbose: bool | None = None,
`

const sharedDoc = `    model : str, optional
        Name of a model (` + "`ehgnn models`" + ` lists them). Default: the model of the task.
    seed : int, default 42
        Seed of all random numbers.
    threads : int, optional
        Threads to use; results do not depend on it. Default: all cores.
    max_memory : str, optional
        Limit of the memory for reading the data, and of the memory that the model needs for a batch, such as "4GiB".
    verbose : bool, optional
        Show a progress bar. Default: in notebooks and in interactive sessions.
`

const head = `# Written by go test ./python/keywords -update from the program's table of settings.
"""The settings of the program as keywords of constructors."""

from __future__ import annotations

from collections.abc import Sequence

from ehgnn._base import Base
`

// Python returns the module with the classes.
func Python() string {
	var b strings.Builder
	b.WriteString(head)
	for _, c := range classes {
		c.write(&b)
	}
	return b.String()
}

func (c class) write(b *strings.Builder) {
	options := lists.Filter(settings.Options(), func(o settings.Option) bool {
		return !slices.Contains(c.without, o.Name) && (c.only == nil || slices.Contains(c.only, o.Name))
	})
	options = append(options, c.more...)
	fmt.Fprintf(b, "\n\nclass %s(Base):\n    \"\"\"%s\n\n    None means the default of the program.\n\n    Parameters\n    ----------\n%s", c.name, c.doc, sharedDoc)
	for _, o := range options {
		fmt.Fprintf(b, "    %s : %s, optional\n%s", keyword(o), described[kindOf(o)], wrap(help(o), "        ", 110))
	}
	fmt.Fprintf(b, "    \"\"\"\n\n    _flags = {\n")
	for _, o := range options {
		fmt.Fprintf(b, "        %q: %q,\n", keyword(o), "--"+o.Name)
	}
	fmt.Fprintf(b, "    }\n\n    def __init__(\n        self,\n        *,\n%s", shared)
	for _, o := range options {
		fmt.Fprintf(b, "        %s: %s | None = None,\n", keyword(o), types[kindOf(o)])
	}
	b.WriteString("    ) -> None:\n")
	for _, name := range []string{"model", "seed", "threads", "max_memory", "verbose"} {
		fmt.Fprintf(b, "        self.%s = %s\n", name, name)
	}
	for _, o := range options {
		fmt.Fprintf(b, "        self.%s = %s\n", keyword(o), keyword(o))
	}
}

// keyword returns the Python name of a setting. The setting score has another name, because score
// is a method of all estimators.
func keyword(o settings.Option) string {
	if o.Name == "score" {
		return "score_function"
	}
	return strings.ReplaceAll(o.Name, "-", "_")
}

// kindOf returns the type of a setting's values. Ends of edges may also be given by position.
func kindOf(o settings.Option) string {
	if o.Name == "source" || o.Name == "target" {
		return "end"
	}
	return fmt.Sprintf("%T", o.Kind)
}

var types = map[string]string{
	"int": "int", "float64": "float", "bool": "bool", "string": "str", "end": "str | int",
	"[]string": "str | Sequence[str]", "[]float64": "Sequence[float]",
}

var described = map[string]string{
	"int": "int", "float64": "float", "bool": "bool", "string": "str", "end": "str or int",
	"[]string": "str or sequence of str", "[]float64": "sequence of float",
}

// help returns the help text of a setting with Python names of settings.
func help(o settings.Option) string {
	text := o.Help
	for _, other := range settings.Options() {
		text = strings.ReplaceAll(text, "--"+other.Name+" ", keyword(other)+" ")
		for _, end := range []string{")", ",", ";", ":"} {
			text = strings.ReplaceAll(text, "--"+other.Name+end, keyword(other)+end)
		}
	}
	text = strings.TrimPrefix(strings.ReplaceAll(text, ", by commas or repeated", ""), "tables: ")
	if kindOf(o) == "end" {
		text += "; a number is the position of a column; - for none: each row is then an edge of its own between two nodes of its own"
	}
	return strings.ReplaceAll(strings.ToUpper(text[:1])+text[1:]+".", "\\", "\\\\")
}

// wrap breaks a text into lines with at most width characters.
func wrap(text, indent string, width int) string {
	var b strings.Builder
	line := indent
	for word := range strings.FieldsSeq(text) {
		if len(line)+len(word)+1 > width && strings.TrimSpace(line) != "" {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line = indent
		}
		line += word + " "
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
	return b.String()
}
