package experiment

// Registry lists the experiments in the order of the help.
func Registry() []Experiment {
	return []Experiment{
		graphClassification.experiment(),
		nodeClassification.experiment(),
		ablation.experiment(),
		twoMoon,
		zincEdges,
		zincGraphs,
		molGAN,
		marsExperiment,
		optimiseExperiment,
		edgeTasks,
		tablesExperiment,
		linkExperiment,
		compression,
		transformTime,
		messageTime,
	}
}
