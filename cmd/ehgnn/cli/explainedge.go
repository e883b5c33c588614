package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ehgnn/ehgnn/internal/explain"
	"github.com/ehgnn/ehgnn/internal/report"
	"github.com/ehgnn/ehgnn/internal/report/picture"
	"github.com/ehgnn/ehgnn/internal/session"
)

// edgeFlags are the flags of explain for edges of a table.
type edgeFlags struct {
	show, words []string
	width       int
}

func (f *edgeFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.show, "show", nil, "columns of the table whose values label edges, separated by commas (default: the first number and the time)")
	cmd.Flags().StringSliceVar(&f.words, "words", nil, "words for an edge, its source and its target, such as payment,payer,payee (default: edge,source,target)")
	cmd.Flags().IntVar(&f.width, "width", int(picture.WideEdge), "width of the picture in pixels; below 918 it is upright")
}

// Limits of --width.
const (
	leastPicture = 320
	mostPicture  = 4000
)

// runEdges divides predictions for edges among columns and other edges.
func (u *explainFlags) runEdges(a *app, cmd *cobra.Command, s *session.Session) error {
	switch {
	case u.node != nil:
		return usage(errors.New("--node does not apply: the run predicts for each edge"))
	case u.words != nil && len(u.words) != 3:
		return usage(fmt.Errorf("--words has %d words, expected three, for an edge, its source and its target, such as payment,payer,payee", len(u.words)))
	case u.width < leastPicture || u.width > mostPicture:
		return usage(fmt.Errorf("--width is %d, expected %d to %d", u.width, leastPicture, mostPicture))
	}
	top := u.top
	if !cmd.Flags().Changed("top") {
		top = 0 // the few with nearly all of the sum
	}
	records, err := explain.Edges(s, cmd.Context(), explain.EdgeOptions{Part: u.split, Target: u.target, Graph: strings.Join(u.graphs, ""), Top: top,
		Show: u.show, Edges: u.edge})
	if err != nil {
		return failure(err)
	}
	u.remark(a, s)
	var words picture.EdgeWords
	if u.words != nil {
		words = picture.EdgeWords{Edge: u.words[0], Source: u.words[1], Target: u.words[2]}
	}
	var drawing report.Drawing
	if u.format().picture {
		if len(records) > 1 {
			return usage(fmt.Errorf("--out is %s, which shows one edge, and --edge names %d; write .html or .json",
				u.to, len(records)))
		}
		drawing = picture.Edge(records[0], words, float64(u.width))
	}
	return u.write(a, picture.EdgeDocument(records, words, s.Settings.ModelName), drawing, "edges", len(records))
}
