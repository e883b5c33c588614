package experiment

// ablation is the paper's ablation table. Its row "w/o EHGNN" equals the row of GCN in table 3 to
// the last digit, so this step also changes the readout. gcn-summed, a row added by this project,
// changes only the edges.
var ablation = gridExperiment{
	Name: "ablation", Short: "The ablation table",
	Title: "Ablation", Measure: "test accuracy, or ROC-AUC on Tox21, in percent",
	Help: `The ablation table of the paper: HyperDrop against edges clustered (HyperCluster),
edges dropped at random (RandDrop), none dropped (ehgnn) and no edge
representations (gcn), by the protocols of graph-classification.
`,
	Rows:  []modelRow{{Name: "hyperdrop"}, {Name: "hypercluster-graph"}, {Name: "randdrop"}, {Name: "ehgnn"}, {Name: "gcn", Title: "w/o EHGNN (GCN)", Molecules: "egcn"}},
	Extra: []modelRow{{Name: "gcn-summed", Title: "w/o EHGNN, same readout"}},
	Sets:  []string{"MUTAG", "PROTEINS", "ogbg_moltox21"},
	Presets: []gridPreset{
		{Name: presetQuick, Sets: []string{"MUTAG", "PROTEINS"}, Folds: map[string][]int{"PROTEINS": {1, 4, 7}}, Seeds: 1, Overrides: quickSettings(100, 25),
			Note: "Shortened (preset quick): one seed, without Tox21, three of ten folds on PROTEINS, at most 100 epochs at a constant learning rate instead of 500 with warm-up and cosine, patience 25 instead of 50. The numbers say which way the table goes; they do not reproduce it."},
		{Name: presetPaper, Seeds: paperRuns},
	},
}
