package settings

import (
	"slices"

	"github.com/ehgnn/ehgnn/data"
	"github.com/ehgnn/ehgnn/data/nodelink"
	"github.com/ehgnn/ehgnn/data/planetoid"
	"github.com/ehgnn/ehgnn/data/smiles"
	"github.com/ehgnn/ehgnn/data/tables"
)

// Formats lists the values of --format of all sources, the most common first.
func Formats() []string {
	return slices.Concat([]string{data.FormatTU, data.FormatDGCNN, data.FormatOGB, planetoid.Format}, tables.Formats(), []string{smiles.Format, nodelink.Format})
}
