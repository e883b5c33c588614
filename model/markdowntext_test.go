package model

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/ehgnn/ehgnn/nn"
	"github.com/ehgnn/ehgnn/nn/pool"
)

// markdownText is the text of docs/models.md, with marks for the rows of its tables.
//
//go:embed testdata/models.md.txt
var markdownText string

// markdown returns docs/models.md: the text with the registered models, convolutions and readouts.
func markdown() string {
	rows := strings.NewReplacer("{{models}}\n", modelRows(), "{{convolutions}}\n", convRows(), "{{readouts}}\n", readoutRows())
	return rows.Replace(markdownText)
}

func modelRows() string {
	var b strings.Builder
	for _, s := range registry {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", s.Name, s.Title, strings.Join(s.Tasks, ", "), yes(s.Edges),
			strings.Join(optionNotes(s.Options()), " "), s.Paper)
	}
	return b.String()
}

// optionNotes lists the options of a model beyond those that all models have, and those of all models
// that it lacks.
func optionNotes(reads []string) []string {
	var notes []string
	common := []string{"hidden", "layers", "dropout"}
	for _, o := range reads {
		if !slices.Contains(common, o) {
			notes = append(notes, "`--"+o+"`")
		}
	}
	for _, o := range common {
		if !slices.Contains(reads, o) {
			notes = append(notes, "not `--"+o+"`")
		}
	}
	return notes
}

func convRows() string {
	var b strings.Builder
	for _, s := range nn.Convs() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", s.Name, s.Title, yes(s.Edges), yes(s.Weights), yes(s.Dual), s.Paper)
	}
	return b.String()
}

func readoutRows() string {
	var b strings.Builder
	for _, s := range pool.Readouts() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", s.Name, s.Title, s.Paper)
	}
	return b.String()
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}
